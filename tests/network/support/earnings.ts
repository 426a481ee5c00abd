/** Earnings of a creator, posted to the ledger of the network. */
import { postTransfer } from "../../../workers/api/ledger/commands.ts";
import {
  type Payment,
  type PaymentKind,
  receivePayment,
  releaseEarnings,
  splitPayment,
  type Transfer,
} from "../../../workers/api/ledger/rules.ts";
import { openDatabase } from "../../../workers/api/storage/database.ts";
import { newId } from "../../../workers/kernel/ids.ts";
import { database } from "../../support/network.ts";

/** Posts transfers in one batch. */
async function post(transfers: readonly Transfer[], now_ms = Date.now()): Promise<void> {
  const d1 = await database();
  const kysely = openDatabase(d1);
  const statements = transfers.flatMap((transfer) => postTransfer({ database: kysely, now_ms }, transfer));
  await d1.batch(statements.map((each) => d1.prepare(each.sql).bind(...each.parameters)));
}

/** Lets a creator earn a payment of this many yen, which can be paid out unless `is_pending`. */
export async function earn(
  creator_id: string,
  amount_yen: number,
  {
    is_pending = false,
    kind = "membership",
    now_ms = Date.now(),
  }: { is_pending?: boolean; kind?: PaymentKind; now_ms?: number } = {},
): Promise<Payment> {
  const cause_id = newId(now_ms);
  const payment: Payment = { kind, cause_id, creator_id, campaign_id: null, ...splitPayment(amount_yen) };
  await post([receivePayment(payment), ...(is_pending ? [] : [releaseEarnings(payment)])], now_ms);
  return payment;
}
