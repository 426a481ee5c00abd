/** `npm run operator -- money ...`: payments, refunds, payouts, and the balances of books and gateway. */
import { ID_PATTERN } from "../../workers/contract/fields.ts";
import type { AnswerOf } from "../../workers/contract/operation.ts";
import {
  findPayment,
  getLedgerBalances,
  listPayoutsUnderWay,
  type OperatedPayment,
  type OperatedPayout,
  refundPayment,
  retryPayout,
  setPayoutHeld,
} from "../../workers/contract/operator.ts";
import { Refusal } from "../refusal.ts";
import type { Site } from "./site.ts";
import type { Subject } from "./subject.ts";

const usage = `money payment <id>           a payment, by its id or that of its letter, comment, invoice, payment intent or charge
money refund <payment_id>    give a whole payment back; the creator's share leaves the creator's balance
money payouts                the payouts that have not ended, oldest first
money hold <payout_id>       stop a payout that has not been sent to the bank
money release <payout_id>    let it continue
money retry <payout_id>      continue a payout in the next minute, instead of when its wait is over
money balances               the sums of the books' accounts, and what the gateway keeps for us`;

export const moneySubject: Subject = {
  usage,
  read([action = "", id, ...more]) {
    if (more.length > 0) throw new Refusal(usage);
    if (id === undefined) {
      if (action === "balances") return async ({ call }) => describeBalances(await call(getLedgerBalances, {}));
      if (action === "payouts") return (site) => describePayouts(site);
      throw new Refusal(usage);
    }
    if (action === "payment") {
      if (!/^\w{1,100}$/.test(id)) throw new Refusal(`"${id}" is no id of a payment.`);
      return async ({ call }) => describePayment((await call(findPayment, { query: { reference: id } })).payment);
    }
    if (!["refund", "hold", "release", "retry"].includes(action)) throw new Refusal(usage);
    if (!ID_PATTERN.test(id)) {
      throw new Refusal(`"${id}" is no such id: \`money payment\` and \`money payouts\` show the ids.`);
    }
    if (action === "refund") {
      return async ({ call }) => describePayment((await call(refundPayment, { params: { payment_id: id } })).payment);
    }
    return async ({ call }) => {
      const params = { payout_id: id };
      if (action === "retry") await call(retryPayout, { params });
      else await call(setPayoutHeld, { params, body: { is_held: action === "hold" } });
      return action === "hold" ? "The payout is held." : "The payout continues within a minute.";
    };
  },
};

async function describePayouts({ call }: Pick<Site, "call">): Promise<string> {
  const lines: string[] = [];
  let after: string | undefined;
  for (let has_next = true; has_next; ) {
    const page: AnswerOf<typeof listPayoutsUnderWay> = await call(listPayoutsUnderWay, { query: { after } });
    lines.push(...page.payouts.map(lineOf));
    has_next = page.has_next;
    after = page.payouts.at(-1)?.payout_id;
  }
  return lines.length === 0 ? "No payout is under way." : lines.join("\n");
}

function lineOf({ payout_id, created_at, creator_link_id, amount, bank_fee, status, is_held }: OperatedPayout): string {
  const state = is_held ? `${status}, held` : status;
  return [payout_id, created_at, creator_link_id, yen(amount), `bank fee ${yen(bank_fee)}`, state].join("  ");
}

const yen = (amount: number) => `${amount.toLocaleString("en")} yen`;

function describePayment(payment: OperatedPayment): string {
  const { kind, cause_id, amount, fee, donation, creator_share, refunds, disputes } = payment;
  return [
    `payment   ${payment.payment_id}, ${payment.paid_at}, ${payment.payment_intent_id}`,
    `what      ${kind} ${cause_id}`,
    `who       ${payment.payer_link_id ?? "a guest"} to ${payment.creator_link_id}`,
    `amount    ${yen(amount)}: fee ${yen(fee)}, donation ${yen(donation)}, creator ${yen(creator_share)}`,
    `money     ${payment.released_at ? `payable since ${payment.released_at}` : `comes ${payment.available_at}`}`,
    ...refunds.map((each) => `refund    ${each.refund_id}, ${each.created_at}, ${each.status}, by ${each.cause}`),
    ...disputes.map((each) => `dispute   ${each.dispute_id}, ${each.opened_at}, ${each.status}, ${each.reason}`),
  ].join("\n");
}

function describeBalances({
  accounts,
  gateway,
}: {
  accounts: { kind: string; balance: number }[];
  gateway: { available: number; pending: number } | null;
}): string {
  return [
    ...accounts.map(({ kind, balance }) => `${kind.padEnd(20)} ${yen(balance)}`),
    gateway
      ? `the gateway          ${yen(gateway.available)} available, ${yen(gateway.pending)} pending`
      : "the gateway does not answer, or there is none: money is off",
  ].join("\n");
}
