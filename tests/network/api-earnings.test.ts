/** The balance, the transactions and the report of a creator, over HTTP. */
import { expect, test } from "vitest";
import {
  getBalance,
  getTransactionReport,
  listMonthlyEarnings,
  listTransactions,
} from "../../workers/contract/ledger.ts";
import { japaneseDayOf } from "../../workers/kernel/clock.ts";
import { freshCreator, freshMember, signIn } from "../support/network.ts";
import { ask, refused, send } from "./support/calls.ts";
import { earn } from "./support/earnings.ts";

const nothing = {
  ...{ currency: "jpy", available: 0, pending: 0, in_transit: 0, held: 0, held_pending: 0, contested: 0 },
  earned_this_month: 0,
};

test("a creator sees the balances and each transaction; nobody else sees anything of them", async () => {
  const [creator, fan] = await Promise.all([freshCreator("売上の人"), freshMember("ファン")]);
  const { token } = creator;
  const { user_id } = creator.user;
  expect(await ask(getBalance, { token })).toEqual({ balance: nothing });
  const paid = await earn(user_id, 10_000);
  await earn(user_id, 1234, { is_pending: true, kind: "comment_support" });
  expect(await ask(getBalance, { token })).toEqual({
    balance: { ...nothing, available: 9000, pending: 1111, earned_this_month: 10_111 },
  });
  const list = await ask(listTransactions, { token });
  expect(list).toMatchObject({ page_number: 1, page_size: 20, has_next: false });
  expect(list.transactions.map(({ kind, amount, fee, net }) => [kind, amount, fee, net])).toEqual([
    ["comment_support", 1234, 123, 1111],
    ["membership", 10_000, 1000, 9000],
  ]);
  const memberships = await ask(listTransactions, { token, query: { kind: "membership" } });
  expect(memberships.transactions.map(({ subject_id }) => subject_id)).toEqual([paid.cause_id]);
  expect(await ask(getBalance, fan)).toEqual({ balance: nothing });
  expect((await ask(listTransactions, fan)).transactions).toEqual([]);
  for (const operation of [getBalance, listTransactions]) {
    await refused(operation, "unauthenticated");
    await refused(operation, "registration_required", { token: await signIn("fan_new") });
  }
});

test("the list has pages of 20, and months of Japan", async () => {
  const { token, user } = await freshCreator("長い明細の人");
  const start = japaneseDayOf("2026-02-01");
  for (let each = 0; each < 21; each += 1) await earn(user.user_id, 1000, { now_ms: start + each, is_pending: true });
  await earn(user.user_id, 500, { now_ms: start - 1, is_pending: true });
  const lengths = async (query: { page_number?: number; month?: string }) => {
    const { transactions, has_next } = await ask(listTransactions, { token, query });
    return [transactions.length, has_next];
  };
  expect(await lengths({})).toEqual([20, true]);
  expect(await lengths({ page_number: 2 })).toEqual([2, false]);
  expect(await lengths({ page_number: 2, month: "2026-02" })).toEqual([1, false]);
  expect(await lengths({ month: "2026-01" })).toEqual([1, false]);
  expect(await lengths({ month: "2026-03" })).toEqual([0, false]);
  const { months } = await ask(listMonthlyEarnings, { token, query: { year: 2026 } });
  expect(months.slice(0, 3).map(({ earned }) => earned)).toEqual([450, 21 * 900, 0]);
  for (const month of ["2026-13", "2026-1", "1926-01", "x"]) {
    const { errors } = await refused(listTransactions, "validation_failed", { token, query: { month } });
    expect(Object.keys(errors ?? {})).toEqual(["month"]);
  }
  await refused(listTransactions, "validation_failed", { token, query: { kind: "refund" } });
  await refused(listTransactions, "validation_failed", { token, query: { page_number: 501 } });
});

test("the report has the days that were asked for, as JSON and as CSV", async () => {
  const { token, user } = await freshCreator("申告する人");
  const at = (day: string) => japaneseDayOf(day);
  await earn(user.user_id, 1000, { now_ms: at("2026-01-01") - 1, is_pending: true });
  await earn(user.user_id, 2000, { now_ms: at("2026-01-01"), is_pending: true });
  await earn(user.user_id, 3000, { now_ms: at("2027-01-01") - 1, is_pending: true });
  const query = { from: "2026-01-01", to: "2026-12-31" };
  const report = await ask(getTransactionReport, { token, query });
  expect(report.transactions.map(({ amount }) => amount)).toEqual([2000, 3000]);
  expect(report.totals).toEqual({ amount: 5000, fee: 500, donation: 0, net: 4500 });
  const csv = await send(getTransactionReport, { token, query: { ...query, format: "csv" } });
  expect([csv.status, csv.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
  expect(csv.headers.get("content-disposition")).toBe('attachment; filename="ofuse-2026-01-01-2026-12-31.csv"');
  expect(csv.headers.get("cache-control")).toContain("no-store");
  expect(csv.text.trimEnd().split("\r\n")).toHaveLength(3);
});

test.each([
  ["without days", {}, ["from", "to"]],
  ["with days that do not exist", { from: "2026-02-30", to: "2026-03-01" }, ["from"]],
  ["that ends before it begins", { from: "2026-03-02", to: "2026-03-01" }, ["to"]],
  ["of more than a year", { from: "2025-01-01", to: "2026-01-02" }, ["to"]],
  ["of another age", { from: "0001-01-01", to: "0001-02-01" }, ["from", "to"]],
])("a report %s is refused with a sentence", async (_, query, fields) => {
  const { token } = await freshCreator("まちがえる人");
  const { errors } = await refused(getTransactionReport, "validation_failed", { token, query });
  expect(Object.keys(errors ?? {})).toEqual(fields);
});
