import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router";
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
function render(payouts: Payout[], bank_updated_at: string | null): string {
  return renderToStaticMarkup(
    createElement(MemoryRouter, null, createElement(PayoutRows, { payouts, bank_updated_at })),
  );
}

test("a failed payout looks unlike a paid one, and a branch is named as its bank names it", () => {
  const html = render(PAYOUTS, null);
  expect(html).toContain('<span class="badge badge-quiet">振込済み</span>');
  expect(html).toContain('<span class="badge badge-alert">振込できませんでした</span>');
  expect(html).toContain("ゆうちょ銀行 〇一八店 ****345");
});

test.each([
  ["no account was registered", null, true],
  ["the account is the one that failed", "2026-11-20T03:00:00.000Z", true],
  ["an account was registered afterwards", "2026-11-24T03:00:00.000Z", false],
])("a failed payout asks for another account while %s: %s", (_, bank_updated_at, is_asking) => {
  const ended_at = "2026-11-23T03:00:00.000Z";
  const html = render([{ ...payout, status: "failed", failure_reason: "no_account", ended_at }], bank_updated_at);
  expect(html).toContain("4,000円の全額を残高に戻しました。");
  expect(html.includes("登録し直してください")).toBe(is_asking);
  expect(html.includes('href="/my/settings/bank"')).toBe(is_asking);
});
