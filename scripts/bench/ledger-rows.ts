import { PLATFORM_FEE_PERCENT } from "../../workers/contract/limits.ts";
import { belowSql, isoTimeSql, numbersSql, skewedSql, ulidSql } from "./draw.ts";
import { CREATORS, END_MS, FIRST_POST_MS, type Fill, USERS, userIdSql, userOfRankSql } from "./rows.ts";

/** A payment has three postings, and its release two: together over a million. */
export const PAYMENTS = 201_000;
const PAYMENT_STEP_MS = Math.floor((END_MS - FIRST_POST_MS) / PAYMENTS);
/** A payment is released a week later. At the end, the payments of the last week wait. */
export const RELEASED_AFTER = Math.floor((7 * 24 * 60 * 60 * 1000) / PAYMENT_STEP_MS);

/** SQL for how many releases come before payment `n`. */
const releasesBefore = `max(0, n - ${RELEASED_AFTER})`;

/** Returns common table expressions: `name` has the payments `from` to `to - 1`. Each depends on its number alone. */
const paymentsSql = (name: string, from: number, to: number) =>
  `${numbersSql(from, to, `${name}_numbers`)},
   ${name}_drawn AS MATERIALIZED (
     SELECT n, ${FIRST_POST_MS} + n * ${PAYMENT_STEP_MS} AS paid_ms,
       ${FIRST_POST_MS} + (n + ${RELEASED_AFTER}) * ${PAYMENT_STEP_MS} + 1 AS released_ms,
       ${userOfRankSql(skewedSql(CREATORS, 3, "n", 90))} AS seller, ${belowSql(USERS, "n", 91)} AS payer,
       100 * (1 + ${belowSql(110, "n", 92)}) AS amount, n % 3 AS kind_number
     FROM ${name}_numbers
   ),
   ${name} AS MATERIALIZED (
     SELECT n, paid_ms, released_ms, amount, amount * ${PLATFORM_FEE_PERCENT} / 100 AS fee,
       ${ulidSql("paid_ms", "n", 93)} AS transfer_id, ${ulidSql("paid_ms", "n", 94)} AS cause_id,
       ${ulidSql("released_ms", "n", 95)} AS release_id, ${userIdSql("seller")} AS seller_id, ${userIdSql("payer")} AS payer_id,
       json_array('ofuse_v3', 'comment_support', 'membership') ->> kind_number AS kind,
       json_array('ofuse', 'event_comment', 'invoice') ->> kind_number AS cause_type
     FROM ${name}_drawn
   )`;

/** Returns the two halves of a UNION, or the first alone while no payment is released. */
const withReleases = (to: number, made: string, released: string) =>
  to > RELEASED_AFTER ? `${made} UNION ALL ${released}` : made;

/** Payments with their transfers. Runs without the triggers of the ledger: they take one transfer at a time. */
export const payments: Fill = {
  table: "payments and ledger",
  rows: PAYMENTS,
  chunk: 10_000,
  statements(from, to) {
    const released = [Math.max(0, from - RELEASED_AFTER), to - RELEASED_AFTER] as const;
    const made = `WITH RECURSIVE ${paymentsSql("made", from, to)}`;
    const both = to > RELEASED_AFTER ? `${made}, ${paymentsSql("released", ...released)}` : made;
    const first = `3 * n + 2 * ${releasesBefore}`;
    const firstOfRelease = `3 * (n + ${RELEASED_AFTER}) + 2 * n + 3`;
    const lines = `${both}, lines AS MATERIALIZED (${withReleases(
      to,
      `SELECT ${first} + 1 AS number, transfer_id, kind, 'gateway_clearing' AS account, NULL AS owner_id, amount, amount AS raised FROM made
       UNION ALL SELECT ${first} + 2, transfer_id, kind, 'platform_fee', NULL, -fee, fee FROM made
       UNION ALL SELECT ${first} + 3, transfer_id, kind, 'creator_pending', seller_id, fee - amount, amount - fee FROM made`,
      `SELECT ${firstOfRelease} + 1, release_id, 'earnings_released', 'creator_pending', seller_id, amount - fee, fee - amount FROM released
       UNION ALL SELECT ${firstOfRelease} + 2, release_id, 'earnings_released', 'creator_payable', seller_id, fee - amount, amount - fee FROM released`,
    )}), entries AS MATERIALIZED (SELECT *, account || coalesce(':' || owner_id, '') AS account_id FROM lines)`;
    return [
      `INSERT INTO ledger_accounts (account_id, kind, owner_id, side, may_be_negative)
       ${lines} SELECT DISTINCT account_id, kinds.kind, owner_id, side, may_be_negative
       FROM entries JOIN ledger_account_kinds AS kinds ON kinds.kind = account
       WHERE account_id NOT IN (SELECT account_id FROM ledger_accounts)`,
      `INSERT INTO ledger_postings (number, transfer_id, kind, account_id, amount, balance_after)
       ${lines} SELECT number, transfer_id, entries.kind, account_id, amount,
         balance + SUM(raised) OVER (PARTITION BY account_id ORDER BY number)
       FROM entries JOIN ledger_accounts USING (account_id) ORDER BY number`,
      `INSERT INTO ledger_transfers (number, transfer_id, kind, cause_type, cause_id, origin_transfer_id, created_at)
       ${both} ${withReleases(
         to,
         `SELECT 1 + n + ${releasesBefore}, transfer_id, kind, cause_type, cause_id, transfer_id, ${isoTimeSql("paid_ms")} FROM made`,
         `SELECT 2 * n + ${RELEASED_AFTER} + 2, release_id, 'earnings_released', cause_type, cause_id, transfer_id,
            ${isoTimeSql("released_ms")} FROM released`,
       )} ORDER BY 1`,
      `UPDATE ledger_accounts SET balance = balance + change FROM (
         ${lines} SELECT account_id AS changed_id, SUM(raised) AS change FROM entries GROUP BY account_id
       ) WHERE account_id = changed_id`,
      `INSERT INTO payments (payment_id, kind, cause_id, payer_user_id, creator_user_id, amount, fee, donation, creator_share,
         payment_intent_id, charge_id, paid_at, available_at, released_at)
       ${made} SELECT ${ulidSql("paid_ms", "n", 96)}, kind, cause_id, payer_id, seller_id, amount, fee, 0, amount - fee,
         printf('pi_bench_%d', n), printf('ch_bench_%d', n), ${isoTimeSql("paid_ms")}, ${isoTimeSql("released_ms")},
         iif(n < ${PAYMENTS - RELEASED_AFTER}, ${isoTimeSql("released_ms")}, NULL)
       FROM made`,
    ];
  },
};
