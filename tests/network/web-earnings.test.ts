/** The pages of a creator's money, as a browser without scripts sees them. */
import type Stripe from "stripe";
import { beforeAll, describe, expect, test } from "vitest";
import { demoSite } from "../../scripts/demo-site.ts";
import { listPayouts } from "../../workers/contract/payouts.ts";
import {
  Browser,
  deliverWebhooks,
  freshCreator,
  freshMember,
  network,
  openBrowserAs,
  type Page,
  tick,
} from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask } from "./support/calls.ts";
import { earn } from "./support/earnings.ts";
import { fillGateway, freshPayee, onboard, passDays, stripeOf } from "./support/payouts.ts";

const main = ({ text }: Page) => text.split('<main id="main">')[1]?.split("</main>")[0] ?? "";
const words = (page: Page) =>
  main(page)
    .replace(/<!--.*?-->/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
const links = (page: Page) =>
  [...main(page).matchAll(/href="([^"]*)"/g)].map(([, to = ""]) => to.replaceAll("&amp;", "&"));
const hidden = (page: Page) =>
  Object.fromEntries(
    [...main(page).matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  );

let stripe: Stripe;
beforeAll(async () => {
  stripe = await stripeOf();
  await fillGateway(stripe);
});

test("a new creator sees zeros, what will be here, and the first step", async () => {
  const own = await openBrowserAs(await freshCreator("はじめたばかりの人"));
  const page = await own.get("/my/transactions");
  expect(words(page)).toContain("振込できる残高 0円");
  expect(words(page)).toContain("まだ明細はありません");
  expect(links(page)).toContain("/signup/monetize");
  expect(links(page)).not.toContain("/my/transactions/payout");
  const payout = await own.get("/my/transactions/payout");
  expect([payout.status, main(payout).includes("<form")]).toEqual([200, false]);
});

test("the list is filtered by kind and month, and has pages", async () => {
  const creator = await freshCreator("長い一覧の人");
  const { user_id } = creator.user;
  const at = Date.UTC(2026, 2, 10);
  for (let each = 0; each < 21; each += 1) await earn(user_id, 1000 + each, { now_ms: at + each, is_pending: true });
  await earn(user_id, 777, { kind: "comment_support", now_ms: Date.UTC(2026, 3, 10), is_pending: true });
  const own = await openBrowserAs(creator);
  const changes = (page: Page) => [...main(page).matchAll(/class="yen-change">([^<]*)</g)].map(([, yen]) => yen);
  const first = await own.get("/my/transactions");
  expect(changes(first)).toHaveLength(20);
  expect(changes(first)[0]).toBe("+700円");
  expect(links(first)).toContain("/my/transactions?page=2#transactions-title");
  expect(changes(await own.get("/my/transactions?page=2"))).toHaveLength(2);
  expect(changes(await own.get("/my/transactions?kind=comment_support&month="))).toEqual(["+700円"]);
  const march = await own.get("/my/transactions?kind=membership&month=2026-03");
  expect(links(march)).toContain("/my/transactions?kind=membership&month=2026-03&page=2#transactions-title");
  expect(main(march)).toContain('<option value="membership" selected="">');
  expect(words(await own.get("/my/transactions?month=2025-01"))).toContain("この条件の明細はありません");
  for (const query of ["?page=9", "?page=501", "?kind=x", "?year=x", "?year=1999"]) {
    expect((await own.get(`/my/transactions${query}`)).status, query).toBe(404);
  }
  for (const month of ["2026/03", "2026年3月", "２０２６－０３", "202603"]) {
    const found = await own.get(`/my/transactions?${new URLSearchParams({ kind: "membership", month })}`);
    expect(links(found), month).toContain("/my/transactions?kind=membership&month=2026-03&page=2#transactions-title");
  }
  const wrong = await own.get("/my/transactions?month=2026-13");
  expect([wrong.status, words(wrong).includes("「2026-13」は読み取れませんでした。")]).toEqual([200, true]);
  // The chart says in words what it draws.
  const year = await own.get("/my/transactions?year=2026");
  expect(main(year)).toMatch(/<title[^>]*>2026年の月ごとの受取額</);
  const label = /<desc[^>]*>([^<]*)<\/desc>/.exec(main(year))?.[1];
  expect(label).toMatch(/^1月 0円、2月 0円、3月 19,098円、/);
  // A column for each month with earnings, and a tick for every month.
  expect(main(year).match(/<rect /g)).toHaveLength(2);
  expect(main(year).match(/<text x="[\d.]+" y="145">\d+</g)).toHaveLength(12);
  expect(links(year)).not.toContain("/my/transactions?year=2025#year-title");
});

test("the report is a file of the chosen days", async () => {
  const creator = await freshCreator("保存する人");
  await earn(creator.user.user_id, 1000, { now_ms: Date.UTC(2026, 2, 10), is_pending: true });
  const own = await openBrowserAs(creator);
  const { status, headers, text } = await own.get("/my/transactions/report.csv?from=2026-03-01&to=2026-03-31");
  expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
  expect(headers.get("content-disposition")).toContain("ofuse-2026-03-01-2026-03-31.csv");
  expect(headers.get("cache-control")).toBe("private, no-store");
  // `text()` drops the byte order mark.
  const [head = "", line = ""] = text.split("\r\n");
  expect(line).toMatch(/^2026\/03\/10 09:00:00,メンバーシップ,売上,1000,100,0,900,/);
  // The tax of the sale and of the fee, no number of the creator, and the demo operator's number.
  expect(head).toMatch(/,税率,消費税額,手数料の消費税額,売り手の登録番号,発行者の登録番号$/);
  expect(line.endsWith(`,10%,90,9,,${demoSite.invoice_number}`)).toBe(true);
  for (const query of ["from=2026-03-31&to=2026-03-01", "from=2024-01-01&to=2026-01-01", "from=&to=2026-01-01", ""]) {
    const refused = await own.get(`/my/transactions/report.csv?${query}`);
    expect([refused.status, refused.location?.endsWith("#report-title")]).toEqual([303, true]);
  }
  const { location } = await own.get("/my/transactions/report.csv?from=2026-03-31&to=2026-03-01");
  const form = main(await own.get(location ?? ""));
  for (const part of ["366日以内で選んでください", 'value="2026-03-31"', 'value="2026-03-01"'])
    expect(form).toContain(part);
});

describe("a payout", () => {
  test("shows the fee and what will arrive before the button, and afterwards the state of the payout", async () => {
    const payee = await freshPayee("申請する人", 9000);
    const own = await openBrowserAs(payee);
    const earnings = await own.get("/my/transactions");
    expect(words(earnings)).toContain("9,000円から振込手数料250円を引いた 8,750円 が口座に届きます");
    expect(links(earnings)).toContain("/my/transactions/payout");
    expect(main(await own.get("/my/transactions/payout"))).toContain('value="9000"');
    const asked = await own.get("/my/transactions/payout?amount=4000");
    for (const part of [
      "残高から引く額 4,000円",
      "振込手数料 −250円",
      "口座に届く額 3,750円",
      "みずほ銀行 渋谷支店 ****234",
    ]) {
      expect(words(asked)).toContain(part);
    }
    const form = hidden(asked) as Record<string, string>;
    // A double click asks once.
    for (const _ of [1, 2]) {
      const sent = await own.post("/my/transactions/payout", form);
      expect([sent.status, sent.location]).toEqual([303, "/my/transactions"]);
    }
    const after = await own.get("/my/transactions");
    expect(after.text).toContain("振込を申請しました");
    expect(words(after)).toContain("振込できる残高 5,000円");
    expect(words(after)).toContain("振込中 3,750円");
    expect(words(after)).toContain("3,750円 手続き中 残高から4,000円（うち振込手数料250円）");
    expect((await ask(listPayouts, payee)).payouts).toHaveLength(1);
    // A page that was open too long: the balance is smaller by now.
    const late = await own.post("/my/transactions/payout", { amount: "9000", idempotency_key: crypto.randomUUID() });
    expect([late.status, words(late).includes("残高が足りません。")]).toEqual([409, true]);
  });

  test.each([
    ["0", "残高から引く額は、1,000円以上、残高までの整数"],
    ["-1", "残高から引く額は、数字だけで入力してください。"],
    ["1.5", "残高から引く額は、数字だけで入力してください。"],
    ["1e3", "残高から引く額は、数字だけで入力してください。"],
    ["千円", "残高から引く額は、数字だけで入力してください。"],
    ["$5000", "残高から引く額は、数字だけで入力してください。"],
    ["9007199254740992", "残高から引く額は、1,000円以上、残高までの整数"],
    ["9001", "残高は9,000円です"],
  ])("of %s is refused on the page, with its sentence", async (amount, sentence) => {
    payee_of_amounts ??= freshPayee("額をまちがえる人", 9000);
    const own = await openBrowserAs(await payee_of_amounts);
    const page = await own.get(`/my/transactions/payout?${new URLSearchParams({ amount })}`);
    expect(words(page)).toContain(sentence);
    expect(main(page)).toContain(`value="${amount}"`);
    expect(main(page)).toContain('aria-invalid="true"');
    expect(main(page)).not.toContain("この内容で申請する");
  });
  let payee_of_amounts: ReturnType<typeof freshPayee> | undefined;

  test("that failed says why and what to do, here and in the list", async () => {
    const payee = await freshPayee("戻ってくる人", 9000, "1111116");
    const own = await openBrowserAs(payee);
    await own.post("/my/transactions/payout", { amount: "9000", idempotency_key: crypto.randomUUID() });
    await tick();
    await passDays(stripe, 3);
    await waitUntil(async () => {
      await deliverWebhooks();
      expect((await ask(listPayouts, payee)).payouts[0]?.status).toBe("failed");
    });
    for (const path of ["/my/transactions", "/my/transactions/payouts"]) {
      const page = await own.get(path);
      expect(words(page)).toContain("振込先の口座が見つかりません。9,000円の全額を残高に戻しました。");
      expect(links(page)).toContain("/my/settings/bank");
    }
  });

  test("of each month is switched on and off", async () => {
    const own = await openBrowserAs(await freshPayee("毎月の人", 0));
    for (const [operation, shown] of [
      ["automatic_on", "毎月の自動振込：オン"],
      ["automatic_off", "毎月の自動振込：オフ"],
    ] as const) {
      expect((await own.post("/my/transactions", { operation })).location).toBe("/my/transactions");
      expect(words(await own.get("/my/transactions"))).toContain(shown);
    }
    expect((await own.post("/my/transactions", { operation: "x" })).status).toBe(400);
  });
});

describe("the registration for monetization", () => {
  test("leads a member through its steps to the first payout", async () => {
    const member = await freshMember("登録する人");
    const own = await openBrowserAs(member);
    const start = await own.get("/signup/monetize");
    expect(words(start)).toContain("情報の入力と、規約への同意 これから");
    expect(words(start)).toContain("売上の10%");
    const sent = await own.post("/signup/monetize", { ...hidden(start), account_type: "individual" } as Record<
      string,
      string
    >);
    const { url } = await network();
    expect([sent.status, sent.location]).toEqual([303, expect.stringContaining(`${url}/payment-gateway/onboarding/`)]);
    const hosted = await new Browser(url).post(String(sent.location).replace(url, ""), {
      ...{ business_type: "individual", name: "山田 花", name_kana: "ヤマダ ハナ", birthday: "1990/4/1" },
      ...{ phone: "0312345678", tos: "yes", verification: "verified" },
    });
    const back = await own.get(String(hosted.location).replace(url, ""));
    expect([back.status, back.location]).toEqual([302, "/signup/monetize"]);
    const agreed = await own.get("/signup/monetize");
    expect(words(agreed)).toContain("情報の入力と、規約への同意 済み");
    expect(words(agreed)).toContain("本人確認 済み");
    expect(words(agreed)).toContain("振込先の口座の登録 これから");
    expect(links(agreed)).toContain("/my/settings/bank");
    expect(words(await own.get("/my/transactions"))).toContain("振込先の口座を登録してください。");
  });

  test("says what to do when the proof of identity was refused, and asks for the type", async () => {
    const member = await freshMember("やり直す人");
    await onboard(member, "unverified");
    const own = await openBrowserAs(member);
    await own.post("/signup/monetize", { operation: "check" });
    const page = await own.get("/signup/monetize");
    expect(words(page)).toContain("本人確認 やり直しが必要 書類を確認できませんでした。");
    expect(words(page)).toContain("手続きを続ける");
    const wrong = await own.post("/signup/monetize", { account_type: "x" });
    expect([wrong.status, words(wrong).includes("個人か法人かを選んでください。")]).toEqual([422, true]);
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' https://connect.stripe.com;");
  });
});
