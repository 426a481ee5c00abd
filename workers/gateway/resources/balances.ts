import { sql } from "kysely";
import type Stripe from "stripe";
import { whereField, whereRange } from "../storage/filters.ts";
import type { Unit } from "../storage/unit.ts";
import { invalidRequest } from "../wire/errors.ts";
import { answerList } from "../wire/lists.ts";
import { listing, range, text } from "../wire/params.ts";
import { endpoint } from "./endpoint.ts";

/** Balances: the platform's, and one of each connected account. A balance is the sum of its movements. */

export const DAY_S = 24 * 60 * 60;
/** How long a payment is pending before it can be paid out. Source: Stripe's schedule in Japan, four business days. */
const PENDING_S = 4 * DAY_S;

/** Returns the fee of a payment: 3.6 %, rounded to the yen, half up. Source: https://stripe.com/jp/pricing */
function feeOf(amount: number): number {
  return Math.floor((amount * 36 + 500) / 1000);
}

interface Movement {
  account: string;
  amount: number;
  type: Stripe.BalanceTransaction.Type;
  reporting_category: string;
  source: string;
  fee?: number;
  /** By default at once. A payment is pending for some days. */
  available_on?: number;
}

/** Adds a movement to a balance. Returns its balance transaction. */
export function addMovement(unit: Unit, movement: Movement) {
  const { account, amount, fee = 0, type, reporting_category, source, available_on = unit.now } = movement;
  const transaction = unit.add("balance_transaction", {
    account,
    body: {
      object: "balance_transaction",
      amount,
      available_on,
      balance_type: "payments",
      created: unit.now,
      currency: "jpy",
      description: null,
      exchange_rate: null,
      fee,
      fee_details:
        fee === 0
          ? []
          : [
              {
                amount: fee,
                application: null,
                currency: "jpy",
                description: "Stripe processing fees",
                type: "stripe_fee",
              },
            ],
      net: amount - fee,
      reporting_category,
      source,
      status: available_on <= unit.now ? "available" : "pending",
      type,
    },
  });
  unit.run(sql`INSERT INTO movements (id, account, net, available_on)
    VALUES (${transaction.id}, ${account}, ${amount - fee}, ${available_on})`);
  return transaction;
}

/** Adds the movement of a payment: its amount less the fee, pending for some days. */
export function addPaymentMovement(unit: Unit, account: string, charge: string, amount: number) {
  const available_on = unit.now + PENDING_S;
  return addMovement(unit, {
    account,
    amount,
    fee: feeOf(amount),
    type: "charge",
    reporting_category: "charge",
    source: charge,
    available_on,
  });
}

/** Lets the change happen only while the account has this much available. */
export function requireFunds(unit: Unit, account: string, amount: number): void {
  unit.require(
    sql`SELECT COALESCE(SUM(net), 0) >= ${amount} FROM movements WHERE account = ${account} AND available_on <= ${unit.now}`,
    invalidRequest("You have insufficient available funds in your Stripe account.", { code: "balance_insufficient" }),
  );
}

/** Lets the change happen only while the account's balance is zero, pending amounts included. */
export function requireNoBalance(unit: Unit, account: string): void {
  unit.require(
    sql`SELECT COALESCE(SUM(net), 0) = 0 FROM movements WHERE account = ${account}`,
    invalidRequest("This account cannot be deleted because its balance is not zero."),
  );
}

/** A stored transaction's status is that of its first day; its answer has today's. */
const withStatus = (unit: Unit, body: Stripe.BalanceTransaction): Stripe.BalanceTransaction => ({
  ...body,
  status: body.available_on <= unit.now ? "available" : "pending",
});

export const balanceEndpoints = [
  endpoint("GET", "/v1/balance", {}, async ({ unit }): Promise<Stripe.Balance> => {
    const row = await unit.gateway.env.DB.prepare(
      `SELECT COALESCE(SUM(net) FILTER (WHERE available_on <= ?1), 0) AS available,
         COALESCE(SUM(net) FILTER (WHERE available_on > ?1), 0) AS pending FROM movements WHERE account = ?2`,
    )
      .bind(unit.now, unit.account)
      .first<{ available: number; pending: number }>();
    const partOf = (amount: number) => [{ amount, currency: "jpy", source_types: { card: amount } }];
    return {
      object: "balance",
      available: partOf(row?.available ?? 0),
      livemode: false,
      pending: partOf(row?.pending ?? 0),
    };
  }),
  endpoint(
    "GET",
    "/v1/balance_transactions",
    { ...listing, created: range.optional(), type: text.optional(), source: text.optional() },
    async ({ unit, params }) => {
      const page = await answerList(unit, "balance_transaction", "/v1/balance_transactions", {
        ...params,
        where: [
          ...whereField("type", params.type),
          ...whereField("source", params.source),
          ...whereRange("created", params.created),
        ],
      });
      return { ...page, data: page.data.map((body) => withStatus(unit, body)) };
    },
  ),
  endpoint("GET", "/v1/balance_transactions/:id", {}, async ({ unit, id }) =>
    withStatus(unit, (await unit.get("balance_transaction", id)).body),
  ),
];
