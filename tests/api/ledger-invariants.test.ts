/**
 * Each invariant of the ledger finds the fault it is for, and only that one. The faults are planted in tables without
 * triggers and constraints, as somebody with access to the file could.
 */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { checkHourly, checkNextPart, checkPart } from "../../workers/api/ledger/check.ts";
import { invariants } from "../../workers/api/ledger/invariants.ts";
import {
  chargeGatewayFee,
  completePayout,
  completeRefund,
  issueRefund,
  type Payment,
  receivePayment,
  releaseEarnings,
  requestPayout,
  splitPayment,
} from "../../workers/api/ledger/rules.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { runSteps } from "../../workers/storage/clock-runs.ts";
import { addUser, d1, NOW_MS } from "./support/context.ts";
import { expectSoundLedger, post } from "./support/ledger.ts";

const database = openDatabase(d1);
const TABLES = ["ledger_postings", "ledger_transfers", "ledger_accounts"];
const LETTER_YEN = 1100;
/** A tenth of what is left after the fee. */
const LETTER_DONATION = 99;
const run = (...statements: string[]) => d1.batch(statements.map((statement) => d1.prepare(statement)));

const [letter_id, open_payout_id, booked_payout_id, refunded_id] = Array.from({ length: 4 }, () => newId(NOW_MS)) as [
  string,
  string,
  string,
  string,
];
let [artist, other, fan] = ["", "", ""];

/** A sound ledger with something of everything that the faults need. */
beforeAll(async () => {
  [artist, other, fan] = await Promise.all([addUser("inv_artist"), addUser("inv_other"), addUser("inv_fan")]);
  await run(
    `INSERT INTO donation_campaigns VALUES ('noto_2026', '能登', '', 'https://noto.example', '2026-01-01', '2027-01-01'),
      ('other', '別', '', 'https://other.example', '2026-01-01', '2027-01-01')`,
  );
  await d1
    .prepare(
      `INSERT INTO ofuses (ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, created_at,
          donation_campaign_id, donation)
        VALUES (?, ?, ?, ?, 'こんにちは', 0, ?, 'noto_2026', ?)`,
    )
    .bind(letter_id, fan, artist, LETTER_YEN, isoTime(NOW_MS), LETTER_DONATION)
    .run();
  const payments = (["ofuse_v3", "membership", "membership", "membership"] as const).map((kind, index): Payment => {
    const cause_id = index === 0 ? letter_id : newId(NOW_MS);
    const split = splitPayment(kind === "ofuse_v3" ? LETTER_YEN : 5000, { donation_percent: index === 0 ? 10 : 0 });
    return { kind, cause_id, creator_id: index === 3 ? other : artist, campaign_id: "noto_2026", ...split };
  });
  for (const payment of payments) await post([receivePayment(payment), releaseEarnings(payment)]);
  const [, first, second, third] = payments as [Payment, Payment, Payment, Payment];
  const paid_payout = { payout_id: newId(NOW_MS), creator_id: artist, amount_yen: 2000, bank_fee_yen: 250 };
  await post([requestPayout(paid_payout), completePayout(paid_payout)]);
  await post(requestPayout({ ...paid_payout, payout_id: open_payout_id, amount_yen: 1000 }));
  await post(requestPayout({ ...paid_payout, payout_id: booked_payout_id, creator_id: other, amount_yen: 4500 }));
  await d1
    .prepare(
      `INSERT INTO payouts (payout_id, user_id, amount, bank_fee, status, account_id, bank_code, bank_name, branch_code,
          branch_name, account_number_last3, created_at)
        VALUES (?, ?, 4500, 250, 'pending', 'acct_1', '0001', 'みずほ銀行', '210', '渋谷', '234', ?)`,
    )
    .bind(booked_payout_id, other, isoTime(NOW_MS))
    .run();
  const refundOf = (payment: Payment, cause_id = newId(NOW_MS)) =>
    ({ cause_id, payment, from: "creator_payable" }) as const;
  const paid_refund = refundOf(first, refunded_id);
  await post([issueRefund(paid_refund), completeRefund(paid_refund), issueRefund(refundOf(second))]);
  // After a payout: the other creator's balance is negative.
  await post([issueRefund(refundOf(third)), chargeGatewayFee({ cause_id: newId(NOW_MS), fee_yen: 36 })]);
  await expectSoundLedger();

  const { results } = await d1
    .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE 'ledger_%'")
    .all<{ name: string }>();
  await run(
    "PRAGMA defer_foreign_keys = on",
    ...results.map(({ name }) => `DROP TRIGGER ${name}`),
    ...TABLES.map((table) => `CREATE TABLE sound_${table} AS SELECT * FROM ${table}`),
    ...TABLES.map((table) => `DROP TABLE ${table}`),
    ...TABLES.map((table) => `CREATE TABLE ${table} AS SELECT * FROM sound_${table}`),
  );
});

beforeEach(() =>
  run(
    ...TABLES.flatMap((table) => [`DELETE FROM ${table}`, `INSERT INTO ${table} SELECT * FROM sound_${table}`]),
    `UPDATE ofuses SET amount = ${LETTER_YEN}, letter_appearance_id = NULL, donation_campaign_id = 'noto_2026',
      donation = ${LETTER_DONATION}`,
    "UPDATE payouts SET status = 'pending', ended_at = NULL",
    ...["disputes", "refunds", "payments"].map((table) => `DELETE FROM ${table}`),
    "UPDATE ledger_account_kinds SET may_be_negative = 1 WHERE kind = 'creator_payable'",
  ),
);
// The next file on this worker begins with a new database.
afterAll(() => run(...TABLES.map((table) => `DROP TABLE sound_${table}`)));

/** SQL that adds a posting, with true balances, whatever else is wrong with it. */
function addPosting(transfer_id: string, kind: string, account_id: string, amount: string, gap = 0): string[] {
  const change = `iif(side = 'debit', 1, -1) * (${amount})`;
  return [
    `INSERT INTO ledger_postings (number, transfer_id, kind, account_id, amount, balance_after)
      SELECT (SELECT MAX(number) + 1 + ${gap} FROM ledger_postings), '${transfer_id}', '${kind}', account_id, ${amount},
        balance + ${change} FROM ledger_accounts WHERE account_id = '${account_id}'`,
    `UPDATE ledger_accounts SET balance = balance + ${change} WHERE account_id = '${account_id}'`,
  ];
}

interface Planted {
  kind?: string;
  cause?: [type: string, id: string];
  /** SQL for the id of the family's first transfer. */
  origin?: string;
  postings?: [account_id: string, amount: string | number][];
  gap?: number;
}

/** SQL that adds a transfer: a fee of 5 yen, unless `planted` says otherwise. */
function addTransfer({ kind = "gateway_fee_charged", cause, origin, postings, gap = 0 }: Planted = {}): string[] {
  const transfer_id = newId(NOW_MS);
  const [cause_type, cause_id] = cause ?? ["gateway_fee", transfer_id];
  const entries = postings ?? [
    ["gateway_fee", 5],
    ["gateway_clearing", -5],
  ];
  return [
    `INSERT INTO ledger_transfers (number, transfer_id, kind, cause_type, cause_id, origin_transfer_id, created_at)
      SELECT MAX(number) + 1 + ${gap}, '${transfer_id}', '${kind}', '${cause_type}', '${cause_id}',
        ${origin ?? `'${transfer_id}'`}, '${isoTime(NOW_MS)}' FROM ledger_transfers`,
    ...entries.flatMap(([account, amount]) => addPosting(transfer_id, kind, account, String(amount))),
  ];
}

const originOf = (kind: string, cause_id: string) =>
  `(SELECT origin_transfer_id FROM ledger_transfers WHERE kind = '${kind}' AND cause_id = '${cause_id}')`;
const lastOf = (account: string) => `(SELECT MAX(number) FROM ledger_postings WHERE account_id = '${account}')`;

const faults: Record<string, () => string[]> = {
  posting_without_transfer: () => [
    ...addPosting(newId(NOW_MS), "gateway_fee_charged", "gateway_fee", "5"),
    ...addPosting(newId(NOW_MS), "gateway_fee_charged", "gateway_clearing", "-5"),
  ],
  posting_without_account: () => ["DELETE FROM ledger_accounts WHERE account_id = 'gateway_fee'"],
  posting_out_of_bounds: () =>
    addTransfer({
      postings: [
        ["gateway_fee", "9007199254740992"],
        ["gateway_clearing", "-9007199254740992"],
      ],
    }),
  posting_number_missing: () => {
    const [transfer = ""] = addTransfer();
    const transfer_id = /[0-9a-z]{26}/.exec(transfer)?.[0] ?? "";
    return [
      transfer,
      ...addPosting(transfer_id, "gateway_fee_charged", "gateway_fee", "5", 3),
      ...addPosting(transfer_id, "gateway_fee_charged", "gateway_clearing", "-5"),
    ];
  },
  posting_doubled: () =>
    addTransfer({
      postings: [
        ["gateway_fee", 2],
        ["gateway_fee", 3],
        ["gateway_clearing", -5],
      ],
    }),
  posting_breaks_balance: () => [
    `UPDATE ledger_postings SET balance_after = balance_after + 1 WHERE number = ${lastOf("gateway_fee")}`,
    "UPDATE ledger_accounts SET balance = balance + 1 WHERE account_id = 'gateway_fee'",
  ],
  posting_without_rule: () =>
    addTransfer({
      postings: [
        ["gateway_fee", 5],
        ["platform_fee", -5],
      ],
    }),
  posting_overdraws_balance: () =>
    addTransfer({
      kind: "payout_requested",
      cause: ["payout", newId(NOW_MS)],
      postings: [
        [`creator_payable:${artist}`, 1_000_000],
        [`creator_in_transit:${artist}`, -1_000_000],
      ],
    }),
  transfer_breaks_family: () =>
    addTransfer({
      kind: "refund_paid",
      cause: ["refund", newId(NOW_MS)],
      origin: originOf("refund_paid", refunded_id),
      postings: [
        ["refunds", 5000],
        ["gateway_clearing", -5000],
      ],
    }),
  transfer_unbalanced: () =>
    [6, 4].flatMap((fee) =>
      addTransfer({
        postings: [
          ["gateway_fee", fee],
          ["gateway_clearing", -5],
        ],
      }),
    ),
  transfer_too_short: () => addTransfer({ postings: [] }),
  transfer_number_missing: () => addTransfer({ gap: 1 }),
  transfer_posted_twice: () => {
    const cause: [string, string] = ["gateway_fee", newId(NOW_MS)];
    return [...addTransfer({ cause }), ...addTransfer({ cause })];
  },
  transfer_of_unknown_kind: () => addTransfer({ cause: ["ofuse", letter_id] }),
  transfer_without_origin: () => addTransfer({ origin: `'${newId(NOW_MS)}'` }),
  transfer_between_creators: () =>
    addTransfer({
      kind: "payout_failed",
      cause: ["payout", open_payout_id],
      origin: originOf("payout_requested", open_payout_id),
      postings: [
        [`creator_in_transit:${artist}`, 750],
        ["bank_fee", 250],
        [`creator_payable:${other}`, -1000],
      ],
    }),
  transfer_at_another_time: () => [
    "UPDATE ledger_transfers SET created_at = '2026-10-31T14:59:59.999Z' WHERE kind = 'gateway_fee_charged'",
  ],
  payout_not_as_posted: () => [`UPDATE payouts SET status = 'paid', ended_at = '${isoTime(NOW_MS)}'`],
  // While the letter's earnings were released, it was held.
  held_payment_released: () => [insertHeld(letter_id, artist, 891)],
  // Everything the other creator had was paid out.
  held_payment_paid_out: () => [insertHeld(newId(NOW_MS), other, 1)],
  letter_not_as_paid: () => ["UPDATE ofuses SET amount = amount + 1"],
  account_of_unknown_kind: () => ["UPDATE ledger_accounts SET may_be_negative = 1 WHERE account_id = 'gateway_fee'"],
  account_balance_wrong: () => ["UPDATE ledger_accounts SET balance = balance + 1 WHERE account_id = 'gateway_fee'"],
  account_negative: () => [
    "UPDATE ledger_account_kinds SET may_be_negative = 0 WHERE kind = 'creator_payable'",
    "UPDATE ledger_accounts SET may_be_negative = 0 WHERE kind = 'creator_payable'",
  ],
  account_of_nobody: () => [
    `INSERT INTO ledger_accounts (account_id, kind, owner_id, side, may_be_negative, balance)
      VALUES ('creator_pending:nobody', 'creator_pending', 'nobody', 'credit', 0, 0)`,
  ],
};

/** SQL for a released payment that has been held since long ago. */
function insertHeld(cause_id: string, creator_id: string, share: number): string {
  const [id, now] = [newId(NOW_MS), isoTime(NOW_MS)];
  return `INSERT INTO payments (payment_id, kind, cause_id, creator_user_id, amount, fee, donation, creator_share,
      payment_intent_id, charge_id, paid_at, available_at, released_at, held_at)
    VALUES ('${id}', 'ofuse_v3', '${cause_id}', '${creator_id}', ${share}, 0, 0, ${share}, 'pi_${id}', 'ch_${id}', '${now}',
      '${now}', '${now}', '2020-01-01T00:00:00.000Z')`;
}

const whole = { first: 1, last: Number.MAX_SAFE_INTEGER };

test("a sound ledger breaks no invariant", async () => {
  expect(await checkPart(database, whole)).toEqual([]);
});

test("every invariant has a fault below, and a name and a sentence of its own", () => {
  expect(Object.keys(faults).sort()).toEqual(invariants.map(({ name }) => name).sort());
  expect(new Set(invariants.map(({ sentence }) => sentence)).size).toBe(invariants.length);
  expect(invariants.length).toBeGreaterThanOrEqual(15);
});

test.each(Object.entries(faults))("%s is found, and nothing else", async (name, plant) => {
  await run(...plant());
  const breaches = await checkPart(database, whole);
  expect(breaches.map((breach) => breach.name)).toEqual([name]);
  expect(breaches[0]?.offenders.length).toBeGreaterThan(0);
});

test.each([
  "letter_appearance_id = 'sakura'",
  "donation = donation + 1",
  "donation = 0, donation_campaign_id = NULL",
  "donation_campaign_id = 'other'",
])("a letter that differs from its payment is found: %s", async (change) => {
  await run(`UPDATE ofuses SET ${change}`);
  expect((await checkPart(database, whole)).map(({ name }) => name)).toEqual(["letter_not_as_paid"]);
});

test.each([
  "disputes SELECT 'dp_1', payment_id, 'creator_payable', 'won', 'fraudulent', NULL, held_at, ?",
  "refunds SELECT 're_1', payment_id, 'creator_payable', 'dashboard', 'failed', NULL, NULL, held_at, ?",
])("a payout took nothing of a held payment that came back after it: %s", async (row) => {
  await run(insertHeld(newId(NOW_MS), other, 1));
  const endAt = (ms: number) =>
    d1.prepare(`INSERT INTO ${row} FROM payments WHERE held_at IS NOT NULL`).bind(isoTime(ms));
  await endAt(NOW_MS + 1000).run();
  expect(await checkPart(database, whole)).toEqual([]);
  await run(`DELETE FROM ${row.split(" ")[0]}`);
  // It had come back before the payout, which should have left it.
  await endAt(NOW_MS - 1000).run();
  expect((await checkPart(database, whole)).map(({ name }) => name)).toEqual(["held_payment_paid_out"]);
});

test("the clock logs a fault with its rows once an hour, however late its run is, and continues", async () => {
  await run(...(faults.transfer_unbalanced?.() ?? []));
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const at = (iso: string) => checkHourly({ database, clock: { now: () => Date.parse(iso) } });
  await at("2026-11-20T03:07:00.000Z");
  await at("2026-11-20T03:59:59.999Z");
  expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
    {
      time: expect.any(String),
      worker: expect.any(String),
      level: "error",
      message: "the ledger breaks an invariant",
      invariant: "transfer_unbalanced",
      sentence: "The postings of the transfer do not sum to zero.",
      offenders: [expect.any(String), expect.any(String)],
    },
  ]);
  // A later run of the step in the same hour does not check again, whatever `clock_runs` says.
  await runSteps({ checkHourly: () => at("2026-11-20T03:59:59.999Z") }, { d1, database });
  await at("2026-11-20T03:59:59.999Z");
  expect(log).toHaveBeenCalledOnce();
  await at("2026-11-20T04:00:00.000Z");
  expect(log).toHaveBeenCalledTimes(2);
  log.mockRestore();
});

test("the hourly check is done by the next run when it fails", async () => {
  await run(...(faults.transfer_unbalanced?.() ?? []), "DELETE FROM clock_runs");
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const services = { database, clock: { now: () => NOW_MS } };
  const prepare = d1.prepare.bind(d1);
  const failing = vi.spyOn(d1, "prepare").mockImplementation((text) => {
    if (text.includes("ledger_")) throw new Error("D1_ERROR: Network connection lost.");
    return prepare(text);
  });
  await expect(checkHourly(services)).rejects.toThrow("lost");
  failing.mockRestore();
  await checkHourly(services);
  expect(log).toHaveBeenCalledOnce();
  log.mockRestore();
});

test("the check of a part finds what is in it, and names at most ten rows", async () => {
  await run("UPDATE ledger_postings SET balance_after = balance_after + number * number");
  const { breaches, next } = await checkNextPart(database, 0);
  expect(next).toBeNull();
  expect(breaches.find(({ name }) => name === "posting_breaks_balance")?.offenders).toHaveLength(10);
  await run("UPDATE ledger_transfers SET created_at = '2026-10-31T14:59:59.999Z' WHERE number = 3");
  expect(await checkPart(database, { first: 1, last: 2 })).not.toContainEqual(
    expect.objectContaining({ name: "transfer_at_another_time" }),
  );
});
