import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub } from "react-router";
import { expect, test } from "vitest";
import { PayoutRows } from "../../app/routes/my/earnings/payout-rows.tsx";
import type { Payout } from "../../workers/contract/payouts.ts";

const payout: Payout = {
  ...{ payout_id: "01kaf2m8q3v7x1n5r9t4w6y001", currency: "jpy", amount: 4000, bank_fee: 250, transferred: 3750 },
  ...{ status: "paid", failure_reason: null, is_automatic: false },
  bank: { bank_name: "ゆうちょ銀行", branch_name: "〇一八", account_number_last3: "345" },
  ...{ created_at: "2026-11-20T03:00:00.000Z", arrives_at: null, ended_at: null },
};

const PAYOUTS: Payout[] = [payout, { ...payout, payout_id: "2", status: "failed", failure_reason: "no_account" }];
const Rows = () => createElement(PayoutRows, { payouts: PAYOUTS });

test("a failed payout looks unlike a paid one, and a branch is named as its bank names it", () => {
  const html = renderToStaticMarkup(createElement(createRoutesStub([{ path: "/", Component: Rows }])));
  expect(html).toContain('<span class="badge badge-quiet">振込済み</span>');
  expect(html).toContain('<span class="badge badge-alert">振込できませんでした</span>');
  expect(html).toContain("ゆうちょ銀行 〇一八店 ****345");
});
