import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { Share } from "../../app/post/share.tsx";
import { placesFor } from "../../app/routes/my/share/places.ts";
import { readDocument } from "../../app/site/documents.server.ts";
import { readMarkdown } from "../../app/site/markdown.server.ts";
import { readEntry, readNews } from "../../app/site/news.server.ts";
import { demoSite } from "../../scripts/demo-site.ts";
import { domain as banks } from "../../workers/api/banks/domain.ts";
import { domain as ledger } from "../../workers/api/ledger/domain.ts";
import { domain as operator } from "../../workers/api/operator/domain.ts";
import { domain as payments } from "../../workers/api/payments/domain.ts";
import { domain as payouts } from "../../workers/api/payouts/domain.ts";
import { domain as reports } from "../../workers/api/reports/domain.ts";
import { providerNames } from "../../workers/contract/embeds.ts";
import { groupDigits } from "../../workers/contract/group-digits.ts";
import { MINOR_LIMITS, PAYOUT_MIN_YEN, PLATFORM_FEE_PERCENT } from "../../workers/contract/limits.ts";
import { FIRST_NEWS_DAY } from "../../workers/contract/news.ts";
import { isOnByDefault } from "../../workers/contract/notifications.ts";

const documentOf = (body: string) => `---\ntitle: 題\n---\n\n${body}`;
const htmlOf = (body: string) =>
  readMarkdown(documentOf(body))
    .sections.map(({ html }) => html)
    .join("");

describe("a text in Markdown", () => {
  test("turns headings into parts, each with its own name or a number", () => {
    const { sections } = readMarkdown(
      documentOf("前書き\n\n## 手数料 {#fees}\n\n本文\n\n### いくら\n\n答え\n\n## 二つめ\n\n終わり"),
    );
    expect(sections.map(({ id, title }) => [id, title])).toEqual([
      ["section-0", null],
      ["fees", "手数料"],
      ["section-2", "二つめ"],
    ]);
    expect(sections[1]).toMatchObject({
      html: "<p>本文</p>\n",
      items: [{ id: "fees-1", title: "いくら", html: "<p>答え</p>\n" }],
    });
  });

  test.each([
    ["<script>alert(1)</script>", "&lt;script&gt;"],
    ["文<img src=x onerror=alert(1)>文", "&lt;img src=x"],
    ["[押す](javascript:alert(1))", "押す"],
    ["[押す](//evil.example)", "押す"],
    ["![絵](https://evil.example/x.png)", "絵"],
    ["```\n<b>枠</b>\n```", "&lt;b&gt;枠"],
    ['[引用符](https://a.example/"onclick=")', "引用符"],
  ])("shows %j as text", (body, shown) => {
    expect(htmlOf(body)).toContain(shown);
    expect(htmlOf(body)).not.toMatch(/<(script|img|b)\b|javascript:|href="\/\/|"onclick/);
  });

  test("inserts values as text, and only those given", () => {
    const { front, sections } = readMarkdown("---\nlead: {{name}}のきまり\n---\n{{name}}", { name: '<b>"社"</b>' });
    expect(sections[0]?.html).toBe("<p>&lt;b&gt;&quot;社&quot;&lt;/b&gt;</p>\n");
    // React shows it, and escapes it.
    expect(front.get("lead")).toBe('<b>"社"</b>のきまり');
    expect(() => readMarkdown(documentOf("{{nobody}}"))).toThrow("nobody");
  });

  test("shows inline conditions that hold, and refuses an unclosed condition", () => {
    const source = documentOf("[設定](/my){{#leaving}}から{{/leaving}}{{^leaving}}は準備中{{/leaving}}です");
    const htmlOf = (leaving: boolean) => readMarkdown(source, {}, { leaving }).sections[0]?.html;
    expect(htmlOf(true)).toBe('<p><a href="/my">設定</a>からです</p>\n');
    expect(htmlOf(false)).toBe('<p><a href="/my">設定</a>は準備中です</p>\n');
    expect(() => readMarkdown(documentOf("{{^leaving}}開いたまま"), {}, { leaving: true })).toThrow("leaving");
  });

  test("labels every table cell with its column's heading", () => {
    const html = htmlOf("| とき | *情報* |\n| --- | --- |\n| 登録 | **名前** |");
    expect(html).toContain("<th>とき</th><th><em>情報</em></th>");
    expect(html).toContain('<td data-head="とき">登録</td><td data-head="*情報*"><strong>名前</strong></td>');
  });

  test("shows the lines of conditions that hold, hides the others, and refuses unknown flags", () => {
    const source = documentOf("前\n\n{{#told}}\n送ります\n{{/told}}\n{{^told}}\n送りません\n{{/told}}\n\n後");
    const readWith = (told: boolean) => readMarkdown(source, {}, { told }).sections[0]?.html;
    expect(readWith(true)).toBe("<p>前</p>\n<p>送ります</p>\n<p>後</p>\n");
    expect(readWith(false)).toBe("<p>前</p>\n<p>送りません</p>\n<p>後</p>\n");
    expect(() => readMarkdown(source)).toThrow("told");
  });

  test("requires front matter", () => {
    expect(() => readMarkdown("本文だけ")).toThrow();
    expect(() => readMarkdown("---\ntitle:\n---\n本文")).toThrow();
    expect(() => readMarkdown("---\n<script>: x\n---\n本文")).toThrow();
  });
});

describe("news", () => {
  const entryOf = (front: string, body = "本文") => readEntry("a", `---\n${front}\n---\n\n${body}`);
  test("are listed newest first, from every file", () => {
    const files = readdirSync(join(import.meta.dirname, "../../app/news"));
    const dates = readNews().map(({ date }) => date);
    expect(dates.length).toBe(files.length);
    expect(dates).toEqual(dates.toSorted().toReversed());
    expect([dates[0], FIRST_NEWS_DAY].toSorted()[0], "operators' news precede them in the list").toBe(dates[0]);
  });

  test("need a title, a date and a known category", () => {
    expect(entryOf("title: 題\ndate: 2026-11-20\ncategory: 安全")).toMatchObject({ slug: "a", description: "本文" });
    expect(() => entryOf("title: 題\ndate: 2026-02-30\ncategory: 安全")).toThrow();
    expect(() => entryOf("title: 題\ndate: 2026-11-20\ncategory: 広告")).toThrow();
    expect(() => entryOf("date: 2026-11-20\ncategory: 安全")).toThrow();
    expect(() => entryOf("title: 題\ndate: 2026-11-20\ncategory: 安全", "## 見出し")).toThrow();
  });
});

test.each([
  { has_recaptcha: true, has_firestore: false },
  { has_recaptcha: false, has_firestore: true },
  { has_recaptcha: false, has_firestore: false },
])("the text on external transmission says which of Google's services the pages use: %j", (asked) => {
  const site = { ...demoSite, is_google_told: false, has_outside_ways: true, takes_money: true, ...asked };
  const { sections } = readDocument("external-transmission", site, "https://ofuse.example");
  const html = sections.map((section) => section.html).join("");
  expect(html.includes("（reCAPTCHA）")).toBe(asked.has_recaptcha);
  expect(html.includes("（Firebase）")).toBe(asked.has_firestore);
  expect(sections.some(({ id }) => id === "direct")).toBe(asked.has_recaptcha || asked.has_firestore);
});

test.each([
  { has_recaptcha: true, takes_money: true, has_outside_ways: true },
  { has_recaptcha: false, takes_money: false, has_outside_ways: false },
])("the privacy policy and the text on external transmission name the providers of the site alone: %j", (asked) => {
  const site = { ...demoSite, is_google_told: false, has_firestore: false, ...asked };
  for (const name of ["privacy", "external-transmission"]) {
    const html = readDocument(name, site, "https://ofuse.example")
      .sections.map((section) => section.html)
      .join("");
    expect(html.includes("Cloudflare"), name).toBe(asked.has_recaptcha);
    expect(html.includes("Firebase"), name).toBe(asked.has_recaptcha);
    expect(html.includes("Stripe"), name).toBe(asked.takes_money);
    expect(/SMS|外部サービス/.test(html), name).toBe(asked.has_outside_ways);
    // A tag leaves no text and no row behind.
    expect(html, name).not.toMatch(/\| |<tr><td[^>]*>\s*<\/td>/);
  }
});

test("the text on external transmission names every place that pages frame or share to", () => {
  const site = { ...demoSite, is_google_told: false, has_recaptcha: false, has_firestore: false };
  const { sections } = readDocument(
    "external-transmission",
    { ...site, has_outside_ways: false, takes_money: false },
    "https://ofuse.example",
  );
  const html = sections.find(({ id }) => id === "elsewhere")?.html;
  const shared = renderToStaticMarkup(createElement(Share, { title: "題", address: "https://ofuse.example/a" }));
  const places = [...shared.matchAll(/<a [^>]*>([^<]+)<\/a>/g)].map(([, name = ""]) => name);
  expect(places.length).toBeGreaterThan(2);
  const names = [...providerNames(), ...places, ...placesFor("", "").map(({ name }) => name)];
  for (const name of names) expect(html).toContain(name);
});

test("the documents say what the code limits and keeps", () => {
  const site = { ...demoSite, is_google_told: false, has_recaptcha: false, has_firestore: false };
  const textOf = (name: string) =>
    readDocument(name, { ...site, has_outside_ways: true, takes_money: true }, "https://ofuse.example")
      .sections.flatMap(({ html, items }) => [html, ...items.map((item) => item.html)])
      .join("");
  for (const { yen } of MINOR_LIMITS) expect(textOf("terms")).toContain(`${groupDigits(yen)}円まで`);
  // What a leaver gives up (app/routes/my/settings/leave.tsx): in articles 8 and 10, and twice in the help.
  const given_up = new RegExp(`${groupDigits(PAYOUT_MIN_YEN)}円に満たない残高は[^。]*受け取れなくなります`, "g");
  for (const name of ["terms", "help"]) expect(textOf(name).match(given_up), name).toHaveLength(2);
  expect(textOf("terms")).toContain(`${PLATFORM_FEE_PERCENT}%（消費税と決済手数料を含み、1円未満は切り捨て）`);
  // Readers get newsletters by mail until they stop them.
  expect(isOnByDefault("news_letter_received", "mail")).toBe(true);
  for (const name of ["terms", "help"])
    expect(textOf(name)).toMatch(/ニュースレター（宣伝を含むことがあります）が.*「配信停止」か.*いつでも止められます/);
  expect(textOf("privacy")).toMatch(/メールアドレス<\/td><td data-head="期間">お支払いの120日後まで/);
});

test("the privacy policy says how long the API keeps what outlives an account", () => {
  const site = { ...demoSite, is_google_told: false, has_recaptcha: false, has_firestore: false };
  const { sections } = readDocument(
    "privacy",
    { ...site, has_outside_ways: true, takes_money: true },
    "https://ofuse.example",
  );
  const html = sections.find(({ id }) => id === "retention")?.html ?? "";
  const periodOf = (what: string) =>
    new RegExp(`<td data-head="情報">${what}.*?<td data-head="期間">(.*?)</td>`).exec(html)?.[1];
  expect(banks.tables?.bank_account_changes?.expires).toEqual({ since: "changed_at", days: 7 * 366 });
  expect(periodOf("振込先の口座を登録・変更した記録")).toMatch(/^変更から7年。/);
  expect(banks.tables?.bank_accounts?.erased).toBe(true);
  expect(periodOf("振込先の口座</td>")).toBe("変更または退会されるまで");
  for (const [table, what] of [
    [ledger.tables?.ledger_transfers, "取引の記録"],
    [payments.tables?.payments, "取引の記録"],
    [payouts.tables?.payouts, "取引の記録"],
    [reports.tables?.reports, "通報と公開の停止の記録"],
    [operator.tables?.operator_acts, "担当者がサイトに対して行った操作の記録"],
  ] as const) {
    expect([table?.expires, table?.erased]).toEqual([expect.stringMatching(/^no: /), expect.stringMatching(/^no: /)]);
    expect(periodOf(what), what).toContain("期限を定めずに保存");
  }
});

test("every document can be read, and each of its parts has a unique name", () => {
  const files = readdirSync(join(import.meta.dirname, "../../app/documents"));
  expect(files.length).toBeGreaterThan(5);
  for (const [file, is_google_told] of files.flatMap((each) => [[each, true] as const, [each, false] as const])) {
    const site = {
      ...demoSite,
      is_google_told,
      has_recaptcha: is_google_told,
      has_firestore: is_google_told,
      has_outside_ways: true,
      takes_money: true,
    };
    const { sections, lead } = readDocument(file.replace(".md", ""), site, "https://ofuse.example");
    const ids = sections.flatMap(({ id, items }) => [id, ...items.map((item) => item.id)]);
    expect(new Set(ids).size, file).toBe(ids.length);
    expect(
      sections.every(({ title }) => title),
      file,
    ).toBe(true);
    expect(lead).not.toContain("{{");
  }
});
