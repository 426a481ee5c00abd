import Stripe from "stripe";
import { isoTime } from "../../kernel/clock.ts";
import { logUnexpected } from "../../kernel/log.ts";
import type { Gateway } from "../gateway/client.ts";
import type { Services } from "../http/request-context.ts";
import { forEachRow } from "./commands.ts";
import { findAbandonedAccounts } from "./queries.ts";

const DELETED_AT_ONCE = 20;
/** How long an account waits that the gateway refused to delete, before the clock tries again. */
export const TRY_AGAIN_MS = 24 * 60 * 60 * 1000;
/** Longer than any money that is under way keeps an account from being deleted. An operator must look afterwards. */
export const REFUSED_TOO_LONG_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Deletes the accounts of creators who have left at the gateway, with name, papers and bank account. The clock runs it. An
 * account waits while a payout of its creator is under way, and while the gateway refuses: its balance must be zero.
 */
export async function deleteAbandonedAccounts(services: Services, isOver = () => false): Promise<void> {
  const { database, gateway } = services;
  const now_ms = services.clock.now();
  const rows = await findAbandonedAccounts(database, now_ms, DELETED_AT_ONCE);
  const nameOf = ({ account_id }: { account_id: string }) => `abandoned account ${account_id}`;
  const postpone = ({ account_id }: { account_id: string }, wait_ms: number) =>
    database
      .updateTable("abandoned_accounts")
      .set({ ask_at: isoTime(now_ms + wait_ms) })
      .where("account_id", "=", account_id)
      .execute();
  const work = async (row: (typeof rows)[number]) => {
    const refusal = await deleteAccount(gateway, row.account_id);
    if (refusal === null) {
      await database.deleteFrom("abandoned_accounts").where("account_id", "=", row.account_id).execute();
      return;
    }
    if (row.left_at < isoTime(now_ms - REFUSED_TOO_LONG_MS)) logUnexpected(refusal, nameOf(row));
    await postpone(row, TRY_AGAIN_MS);
  };
  await forEachRow(rows, work, { nameOf, postpone, isOver });
}

/** Deletes an account at the gateway. Returns the gateway's refusal, or null when the account is deleted. */
async function deleteAccount(gateway: Gateway, account_id: string): Promise<Error | null> {
  try {
    await gateway.call((stripe) => stripe.accounts.del(account_id));
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError && error.code === "account_invalid") {
      // The answer of an earlier call was lost, or the site has the key of another platform: then an operator needs the id.
      logUnexpected(error, `abandoned account ${account_id}`);
      return null;
    }
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return error;
    throw error;
  }
  return null;
}
