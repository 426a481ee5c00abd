/** `npm run operator -- money ...`: payments, refunds, and the balances of books and gateway. */
import { ID_PATTERN } from "../../workers/contract/fields.ts";
import {
  findPayment,
  getLedgerBalances,
  type OperatedPayment,
  refundPayment,
} from "../../workers/contract/operator.ts";
import { Refusal } from "../refusal.ts";
import type { Subject } from "./subject.ts";

const usage = `money payment <id>           a payment, by its id or that of its letter, comment, invoice, payment intent or charge
money refund <payment_id>    give a whole payment back; the creator's share leaves the creator's balance
money balances               the sums of the books' accounts, and what the gateway keeps for us`;

export const moneySubject: Subject = {
  usage,
  read([action, id, ...more]) {
    if (action === "balances" && id === undefined)
      return async ({ call }) => describeBalances(await call(getLedgerBalances, {}));
    if (id === undefined || more.length > 0) throw new Refusal(usage);
    if (action === "payment") {
      if (!/^\w{1,100}$/.test(id)) throw new Refusal(`"${id}" is no id of a payment.`);
      return async ({ call }) => describePayment((await call(findPayment, { query: { reference: id } })).payment);
    }
    if (action !== "refund") throw new Refusal(usage);
    if (!ID_PATTERN.test(id)) throw new Refusal(`"${id}" is no id of a payment: \`money payment\` shows it.`);
    return async ({ call }) => describePayment((await call(refundPayment, { params: { payment_id: id } })).payment);
  },
};

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
      : "the gateway does not answer",
  ].join("\n");
}
