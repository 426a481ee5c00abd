import { readFileSync } from "node:fs";
import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub, RouterContextProvider } from "react-router";
import { expect, test } from "vitest";
import Transactions, { loader } from "../../app/routes/transactions.tsx";
import { noticeHeadings } from "../../app/site/site.ts";
import { siteContext } from "../../app/site/site-context.ts";
import example from "../../deploy/site.example.json" with { type: "json" };
import { demoSite } from "../../scripts/demo-site.ts";
import { groupDigits } from "../../workers/contract/group-digits.ts";
import { MINOR_LIMITS } from "../../workers/contract/limits.ts";
import { readSite } from "../../workers/web/site.ts";

const terms = readFileSync("app/documents/terms.md", "utf8");

const fit = {
  ...demoSite,
  company_name: "株式会社オフセ",
  company_url: "https://www.ofuse-company.jp/",
  siblings: [{ name: "オフセ文庫", url: "https://bunko.ofuse-company.jp/" }],
  notice: {
    ...demoSite.notice,
    seller: "株式会社オフセ",
    manager: "封野 手紙",
    address: "東京都千代田区1-2-3",
    email: "support@ofuse-company.jp",
  },
};
/** The page of the commercial-law notice. */
function NoticePage() {
  const context = new RouterContextProvider();
  context.set(siteContext, fit as never);
  const props: object = { loaderData: loader({ context } as never) };
  return createElement(Transactions as FunctionComponent<never> as FunctionComponent, props);
}
const breachesOf = (value: unknown, environment = "production") =>
  readSite(JSON.stringify(value), environment).breaches;

test("a real site may serve, and so may the demo on a local machine", () => {
  expect(breachesOf(fit)).toEqual([]);
  expect(breachesOf(demoSite, "local")).toEqual([]);
});

test("the commercial-law notice says as the terms do until when a plan can be left, and names the charge of an upgrade", () => {
  const until =
    "次回のお支払いの日時（「加入中のプラン」に示す、読める期間の終わり）より前に手続きをすれば、いつでも解約できます。";
  expect(terms).toContain(until);
  expect(example.notice.recurring).toContain(until);
  expect(example.notice.payment_timing).toContain("確認の画面に表示する差額を変更の時に");
});

test("the commercial-law notice names the limits on buying, and its page the amounts for minors", () => {
  for (const limit of ["18歳未満の方が1か月に支払える金額", "1日や1週間に購入できる回数", "定員"])
    expect(example.notice.special_conditions).toContain(limit);
  const html = renderToStaticMarkup(createElement(createRoutesStub([{ path: "/", Component: NoticePage }])));
  for (const { until_age, yen } of MINOR_LIMITS)
    expect(html).toContain(`${until_age}歳未満の方は${groupDigits(yen)}円まで`);
});

test.each(Object.keys(noticeHeadings))("a site may not serve without %s, which the law requires", (field) => {
  for (const environment of ["production", "local"]) {
    const empty = breachesOf({ ...fit, notice: { ...fit.notice, [field]: " " } }, environment);
    expect(empty.join()).toContain(`notice.${field} is empty`);
    const missing = breachesOf({ ...fit, notice: { ...fit.notice, [field]: undefined } }, environment);
    expect(missing.join()).toContain(`notice.${field}`);
  }
});

test.each<[string, object]>([
  ["an empty name", { company_name: "" }],
  ["the demo's name", { company_name: "株式会社オフセ（デモ）" }],
  ["an address that is reserved for examples", { notice: { ...fit.notice, email: "support@ofuse.example" } }],
  ["an invalid mailbox", { notice: { ...fit.notice, email: "support" } }],
  ["an invalid telephone number", { notice: { ...fit.notice, phone: "お電話ください" } }],
  ["a link that is script", { faq_url: "javascript:alert(1)" }],
  ["a link without encryption", { feedback_url: "http://forms.ofuse-company.jp/" }],
  ["a link to another host in disguise", { guide_url: "//evil.example/" }],
  ["a sibling without a name", { siblings: [{ name: "", url: "https://a.jp/" }] }],
  ["an invalid date", { revised_on: "2026-02-30" }],
  ["an unknown field", { compnay_name: "株式会社オフセ" }],
])("a real site may not serve with %s", (_what, change) => {
  expect(breachesOf({ ...fit, ...change })).toHaveLength(1);
});

test.each(["", "null", "{", "[]"])("a site may not serve with %j in place of its description", (json) => {
  expect(readSite(json, "local").breaches.length).toBeGreaterThan(0);
});
