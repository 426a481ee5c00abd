/** `npm run operator -- money ...`: payments, refunds, payouts, and the balances of books and gateway. */
import { parseArgs } from "node:util";
import { ID_PATTERN } from "../../workers/contract/fields.ts";
import { isSendable } from "../../workers/contract/mails.ts";
import type { AnswerOf } from "../../workers/contract/operation.ts";
import {
  findAccount,
  findPayment,
  getLedgerBalances,
  getPersonMoney,
  listCheckouts,
  listPayoutsUnderWay,
  listUnknownMoney,
  type OperatedCheckout,
  type OperatedPayment,
  type OperatedPayout,
  refundPayment,
  retryPayout,
  setFeaturePaused,
  setPayoutHeld,
  settleUnknownMoney,
  UNKNOWN_MONEY_KINDS,
  type UnknownMoney,
} from "../../workers/contract/operator.ts";
import { Refusal } from "../refusal.ts";
import { readMoment } from "./maintenance.ts";
import { CallRefused, type Site } from "./site.ts";
import type { Subject } from "./subject.ts";
import { rethrowNaming } from "./user.ts";

const usage = `money payment <id|address>   a payment, by its id or that of its letter, comment, invoice, payment intent or charge; or
                             attempts to pay, by their id, the gateway's session or the address of a guest
money person <who>           what a person paid, began to pay and joined, and their payouts, each newest first
money refund <payment_id> [--end-renewal]
                             give a whole payment back; the creator's share leaves the creator's balance. With
                             --end-renewal the plan that it was for is not renewed
money payouts                the payouts that have not ended, oldest first
money hold <payout_id>       stop a payout that has not been sent to the bank
money release <payout_id>    let it continue
money retry <payout_id>      continue a payout in the next minute, instead of when its wait is over
money pause <reason>         pause payouts: nobody asks for one, and none is sent
money resume <reason>        resume payouts
money unknown --since <moment> [--settle]
                             what the gateway has moved since then and the database does not know, as after a restore. With
                             --settle, a payout, a refund or a dispute gets into the books, a payment goes back, and a
                             plan ends and its payments go back
money balances               the sums of the books' accounts, and what the gateway keeps for us`;

export const moneySubject: Subject = {
  usage,
  read(args, now_ms) {
    const [action = "", id, ...more] = args;
    if (action === "unknown") {
      const { since, is_settling } = readUnknown(args.slice(1), now_ms);
      return (site) => (is_settling ? settleUnknown(site, since) : describeUnknown(site, since));
    }
    if ((action === "pause" || action === "resume") && id !== undefined && more.length === 0) {
      const is_paused = action === "pause";
      return async ({ call }) => {
        await call(setFeaturePaused, { params: { feature: "payouts" }, body: { is_paused, reason: id } });
        return is_paused ? "Payouts are paused." : "Payouts continue.";
      };
    }
    const ends_renewal = action === "refund" && more[0] === "--end-renewal";
    if (more.length > (ends_renewal ? 1 : 0)) throw new Refusal(usage);
    if (id === undefined) {
      if (action === "balances") return async ({ call }) => describeBalances(await call(getLedgerBalances, {}));
      if (action === "payouts") return (site) => describePayouts(site);
      throw new Refusal(usage);
    }
    if (action === "payment") {
      if (!/^\w{1,100}$/.test(id) && !isSendable(id)) throw new Refusal(`"${id}" is no id of a payment.`);
      return (site) => describeReference(site, id);
    }
    if (action === "person") return (site) => describePerson(site, id);
    if (!["refund", "hold", "release", "retry"].includes(action)) throw new Refusal(usage);
    if (!ID_PATTERN.test(id)) {
      throw new Refusal(`"${id}" is no such id: \`money payment\` and \`money payouts\` show the ids.`);
    }
    if (action === "refund") {
      const asked = { params: { payment_id: id }, body: { ends_renewal } };
      return async ({ call }) => describePayment((await call(refundPayment, asked)).payment);
    }
    return async ({ call }) => {
      const params = { payout_id: id };
      if (action === "retry") await call(retryPayout, { params });
      else await call(setPayoutHeld, { params, body: { is_held: action === "hold" } });
      return action === "hold" ? "The payout is held." : "The payout continues within a minute.";
    };
  },
};

/** Describes a payment, or the attempts to pay that the reference names. */
async function describeReference({ call }: Pick<Site, "call">, reference: string): Promise<string> {
  const payment = reference.includes("@")
    ? null
    : await call(findPayment, { query: { reference } }).catch((error: unknown) => {
        if (error instanceof CallRefused && error.code === "not_found") return null;
        throw error;
      });
  if (payment) return describePayment(payment.payment);
  const { checkouts } = await call(listCheckouts, { query: { reference } });
  if (checkouts.length === 0) throw new Refusal(`There is no payment ${reference}, and no attempt to pay.`);
  return checkouts.map(checkoutLine).join("\n");
}

async function describePerson({ call }: Pick<Site, "call">, who: string): Promise<string> {
  const { profile } = await call(findAccount, { query: { who } }).catch(rethrowNaming(who));
  if (!profile) throw new Refusal(`${who} has no profile, and so no payments.`);
  const money = await call(getPersonMoney, { params: { user_id: profile.user_id }, query: {} });
  const lines = [
    ...money.payments.map(({ payment_id, paid_at, kind, amount, creator_link_id, withdrawn_at }) => [
      "payment",
      payment_id,
      paid_at,
      kind,
      yen(amount),
      `to ${creator_link_id}`,
      withdrawn_at ? "withdrawn" : "",
    ]),
    ...money.checkouts.map((checkout) => ["checkout", checkoutLine(checkout)]),
    ...money.subscriptions.map(({ subscription_id, title, creator_link_id, status, is_ending, paid_until }) => [
      "plan",
      subscription_id,
      title,
      `of ${creator_link_id}`,
      is_ending ? `${status}, ending` : status,
      paid_until,
    ]),
    ...money.payouts.map((payout) => ["payout", lineOf(payout)]),
    ...(money.has_next ? [["Older ones are on the person's page."]] : []),
  ];
  return lines.length === 0
    ? "Nothing was paid or begun."
    : lines.map((parts) => parts.filter(Boolean).join("  ")).join("\n");
}

function checkoutLine(checkout: OperatedCheckout): string {
  const { session_id, created_at, kind, status, amount, gateway_session_id, payment_id } = checkout;
  return [
    session_id,
    created_at,
    kind,
    yen(amount),
    `${checkout.payer_link_id ?? checkout.payer_email ?? "a guest"} to ${checkout.creator_link_id}`,
    status,
    checkout.expires_at && `until ${checkout.expires_at}`,
    checkout.returned_at && `returned ${checkout.returned_at}`,
    gateway_session_id ?? "-",
    payment_id && `payment ${payment_id}`,
  ]
    .filter(Boolean)
    .join("  ");
}

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

function readUnknown(args: string[], now_ms: number): { since: string; is_settling: boolean } {
  try {
    const { since, settle = false } = parseArgs({
      args,
      options: { since: { type: "string" }, settle: { type: "boolean" } },
    }).values;
    if (since !== undefined) return { since: readMoment(since, now_ms), is_settling: settle };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // For an unknown option, throw the usage below.
  }
  throw new Refusal(usage);
}

async function listUnknown({ call }: Pick<Site, "call">, since: string): Promise<UnknownMoney[]> {
  const found: UnknownMoney[] = [];
  for (const kind of UNKNOWN_MONEY_KINDS) {
    for (let after: string | null | undefined; after !== null; ) {
      const page: AnswerOf<typeof listUnknownMoney> = await call(listUnknownMoney, { query: { kind, since, after } });
      found.push(...page.unknown);
      after = page.next;
    }
  }
  return found;
}

const NOTHING_UNKNOWN = "The database knows everything that the gateway has moved since then.";

const unknownLine = ({ kind, gateway_id, created_at, amount, person_link_id, reference }: UnknownMoney) =>
  [kind, gateway_id, created_at, yen(amount), person_link_id ? `@${person_link_id}` : "-", reference].join("  ");

async function describeUnknown(site: Pick<Site, "call">, since: string): Promise<string> {
  return (await listUnknown(site, since)).map(unknownLine).join("\n") || NOTHING_UNKNOWN;
}

/** Settles each. Throws a Refusal when one of them cannot be settled, and names them all: the command must fail in a script. */
async function settleUnknown(site: Pick<Site, "call">, since: string): Promise<string> {
  const lines: string[] = [];
  let has_refused = false;
  for (const each of await listUnknown(site, since)) {
    const { gateway_id, kind } = each;
    const refusal = await site.call(settleUnknownMoney, { params: { gateway_id }, body: { kind } }).then(
      () => null,
      (error: unknown) => {
        if (error instanceof CallRefused) return error.code;
        throw error;
      },
    );
    has_refused ||= refusal !== null;
    lines.push(`${refusal ?? "settled"}  ${unknownLine(each)}`);
  }
  if (has_refused) throw new Refusal(lines.join("\n"));
  return lines.join("\n") || NOTHING_UNKNOWN;
}
