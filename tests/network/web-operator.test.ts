/** The operators' pages: who sees them, and what their forms do. The acts themselves: api-operator.test.ts. */
import { beforeAll, describe, expect, test } from "vitest";
import { FIRST_NEWS_DAY, getNews, listNews } from "../../workers/contract/news.ts";
import { sendFreeOfuse } from "../../workers/contract/ofuses.ts";
import { listOperatorActs } from "../../workers/contract/operator.ts";
import { createPayout } from "../../workers/contract/payouts.ts";
import { reportOfuse } from "../../workers/contract/reports.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import {
  type Browser,
  browser,
  database,
  freshMember,
  type Member,
  openBrowserAs,
  signIn,
  tick,
} from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { actionPatterns } from "./support/actions.ts";
import { ask, NOBODY, refused } from "./support/calls.ts";
import { fieldsOf } from "./support/forms.ts";
import { openOperatorBrowser } from "./support/operator-browser.ts";
import { freshPayee } from "./support/payouts.ts";
import { insertPost } from "./support/posts.ts";
import { operatorToken } from "./support/tokens.ts";

/** Each of the operators' pages, by its heading. */
const pages: [path: string, heading: string][] = [
  ["/operator", "運営の概要"],
  ["/operator/reports", "通報"],
  ["/operator/reports?filter=all", "通報"],
  ["/operator/appeals", "異議の申し出"],
  ["/operator/appeals?filter=all", "異議の申し出"],
  ["/operator/removals", "公開の停止と再開"],
  ["/operator/people", "人を探す"],
  ["/operator/people?keyword=natsume", "人を探す"],
  ["/operator/payments", "支払い"],
  ["/operator/payouts", "進行中の振込"],
  ["/operator/ledger", "帳簿"],
  ["/operator/outbox", "止まった出来事"],
  ["/operator/mails", "メール"],
  ["/operator/mails/suppressions", "止めた宛先"],
  ["/operator/maintenance", "メンテナンスの予定"],
  ["/operator/news", "お知らせ"],
  ["/operator/news/new", "新しいお知らせ"],
  ["/operator/features", "機能の休止"],
  ["/operator/limits", "上限"],
  ["/operator/campaigns", "寄付キャンペーン"],
  ["/operator/search", "検索の索引"],
  ["/operator/acts", "操作の記録"],
];

let member: Member;
let operator: Browser;
/** Viewers who are not operators. */
const others = new Map<string, Browser>();

beforeAll(async () => {
  const [one, without_factor] = await Promise.all([freshMember("みまもる人"), freshMember("要素のない人")]);
  member = one;
  operator = await openOperatorBrowser(member);
  others.set("a visitor", await browser());
  others.set("a member", await openBrowserAs("fan_taro"));
  others.set("a creator", await openBrowserAs("natsume"));
  others.set("an operator without a second factor", await openOperatorBrowser(without_factor, { has_factor: false }));
});

const mainOf = (text: string) => text.split('<main id="main">')[1]?.split("</main>")[0] ?? "";
const headingOf = (text: string) => /<h1[^>]*>(.*?)<\/h1>/s.exec(text)?.[1]?.replace(/<[^>]*>/g, "");

test("the pages of all other viewers are those of an unknown address, also for a form", async () => {
  const addresses = [
    ...pages.map(([path]) => path),
    `/operator/reports/${NOBODY}`,
    `/operator/people/${NOBODY}`,
    `/operator/news/${NOBODY}/preview`,
  ];
  const patterns = actionPatterns().filter((pattern) => /^\/operator(?:\/|$)/.test(pattern));
  const paths = new Set([...addresses, ...patterns.map((pattern) => pattern.replace(/:\w+/g, NOBODY))]);
  const told = ({ status, headers, text }: Awaited<ReturnType<Browser["get"]>>) => ({
    status,
    cache: headers.get("cache-control"),
    title: /<title>(.*?)<\/title>/.exec(text)?.[1],
    // The page offers to search for the name in its address.
    main: mainOf(text).replace(/value="[^"]*"/, ""),
    // In the HTML, before the scripts of a member's page, which name their route.
    says_operator: /data-pattern="\/operator/.test(text),
    is_indexed: !text.includes('<meta name="robots" content="noindex"/>'),
  });
  for (const [who, viewer] of others) {
    const unknown = told(await viewer.get("/nobody_at_all/reports"));
    expect(unknown.status, who).toBe(404);
    const asked = [...paths].map(async (path) => {
      const [got, posted] = await Promise.all([viewer.get(path), viewer.post(path, { act: "x", decision: "removed" })]);
      expect(told(got), `${who} ${path}`).toEqual(unknown);
      expect([posted.status, headingOf(posted.text)], `${who} posts ${path}`).toEqual([404, "ページが見つかりません"]);
    });
    await Promise.all(asked);
  }
});

describe.each(pages)("%s", (path, heading) => {
  test("opens for an operator, is not indexed or cached, and has no link without effect", async () => {
    const { status, text, headers } = await operator.get(path);
    expect([status, headingOf(text)]).toEqual([200, heading]);
    expect(text).toContain('<meta name="robots" content="noindex"/>');
    expect(headers.get("cache-control")).toBe("private, no-store");
    expect(mainOf(text)).not.toMatch(/href="#?"|aria-disabled="true"/);
  });
});

test("only operators see the link to their pages", async () => {
  expect((await operator.get("/help")).text).toContain('href="/operator"');
  for (const viewer of others.values()) expect((await viewer.get("/help")).text).not.toContain("/operator");
});

/** Sends a letter and reports it. Returns the people and the address of the report's page. */
async function reportedLetter() {
  const [sender, receiver] = await Promise.all([freshMember("送った人"), freshMember("受け取った人")]);
  await ask(updateProfile, { token: receiver.token, body: { accepts_free_ofuses: true } });
  const body = { receiver_user_id: receiver.user.user_id, message: "ひどい言葉です" };
  const { ofuse } = await ask(sendFreeOfuse, { token: sender.token, body });
  const call = { token: receiver.token, params: { ofuse_id: ofuse.ofuse_id } };
  await ask(reportOfuse, { ...call, body: { reason: "slander", detail: "こわいです" } });
  const reported = (await database()).prepare("SELECT report_id FROM reports WHERE subject_id = ?");
  const report_id = await reported.bind(ofuse.ofuse_id).first<string>("report_id");
  return { path: `/operator/reports/${report_id}`, sender, receiver };
}

const acts = async () => {
  const token = await operatorToken();
  return (await ask(listOperatorActs, { token, query: { limit: 5 } })).acts;
};

test("a report shows what was reported, keeps the typed words of a refused form, and is decided once", async () => {
  const { path, sender } = await reportedLetter();
  const page = mainOf((await operator.get(path)).text);
  expect(page).toContain("ひどい言葉です");
  expect(page).toContain("こわいです");
  expect(page).toContain(`@${sender.user.link_id}`);
  const refused = await operator.post(path, { act: "decide", note: "規約の第4条です" });
  expect(refused.status).toBe(422);
  expect(mainOf(refused.text)).toContain("判断を選んでください。");
  expect(mainOf(refused.text)).toContain("規約の第4条です");
  const other_tab = await openOperatorBrowser(member);
  const decided = await operator.post(path, { act: "decide", decision: "kept", note: "規約の第4条です" });
  expect([decided.status, decided.location]).toEqual([303, path]);
  const late = await other_tab.post(path, { act: "decide", decision: "removed", note: "" });
  expect(late.status).toBe(409);
  expect(mainOf(late.text)).toContain("この通報には、すでに別の判断がくだされています。");
  expect(mainOf((await operator.get(path)).text)).toContain("規約の第4条です");
});

test("an act after ten minutes asks for a proof of identity, and keeps the typed words", async () => {
  const late = await openOperatorBrowser({ token: await signIn("fan_hana") }, { signed_in_s_ago: 11 * 60 });
  const { path } = await reportedLetter();
  const asked = await late.post(path, { act: "decide", decision: "removed", note: "あとで読む言葉" });
  expect([asked.status, asked.location]).toEqual([303, `/login/confirm?${new URLSearchParams({ to: path })}`]);
  expect((await late.get(asked.location ?? "")).status).toBe(200);
  const back = mainOf((await late.get(path)).text);
  expect(back).toContain("あとで読む言葉");
  expect(back).toMatch(/value="removed"[^>]*checked|checked[^>]*value="removed"/);
});

test("a person is found by name, link_id and address, stopped with a reason, and can continue", async () => {
  const name = `さがす${crypto.randomUUID().slice(0, 6)}人`;
  const person = await freshMember(name);
  const { link_id, user_id } = person.user;
  for (const keyword of [name, `@${link_id}`, person.email, user_id]) {
    const found = mainOf((await operator.get(`/operator/people?${new URLSearchParams({ keyword })}`)).text);
    expect(found, keyword).toContain(name);
  }
  const list = mainOf((await operator.get(`/operator/people?${new URLSearchParams({ keyword: user_id })}`)).text);
  const path = /href="(\/operator\/people\/[\w-]+)"/.exec(list)?.[1] ?? "";
  expect((await operator.post(path, { act: "disable", reason: " " })).status).toBe(422);
  const visitor = await browser();
  expect((await operator.post(path, { act: "disable", reason: "なりすましです" })).status).toBe(303);
  expect(mainOf((await operator.get(path)).text)).toContain("利用停止中");
  expect((await visitor.get(`/${link_id}/about`)).status).toBe(404);
  const [act] = await acts();
  expect(act).toMatchObject({
    operator: "hana",
    operation: "setAccountDisabled",
    input: { is_disabled: true, reason: "なりすましです" },
  });
  expect((await operator.post(path, { act: "sign_out", reason: "端末をなくしたため" })).status).toBe(303);
  expect((await operator.post(path, { act: "enable", reason: "本人と確かめました" })).status).toBe(303);
  expect((await visitor.get(`/${link_id}/about`)).status).toBe(200);
  expect(mainOf((await operator.get("/operator/acts")).text)).toContain("本人と確かめました");
});

test("maintenance is planned in Japanese time and taken back, and a wrong window is refused beside its field", async () => {
  const path = "/operator/maintenance";
  const wrong = await operator.post(path, {
    act: "plan",
    started_at: "2999-01-02T10:00",
    finished_at: "2999-01-02T09:00",
  });
  expect([wrong.status, wrong.text.includes("終わりは始まりより後にしてください。")]).toEqual([422, true]);
  const over = { act: "plan", started_at: "2020-01-02T10:00", finished_at: "2020-01-02T11:00" };
  const late = await operator.post(path, over);
  expect([late.status, late.text.includes("終わりには、これからの日時を指定してください。")]).toEqual([422, true]);
  await operator.post(path, { act: "plan", started_at: "2999-01-02T10:00", finished_at: "2999-01-02T11:00" });
  expect(mainOf((await operator.get(path)).text)).toContain("2999/01/02 10:00");
  await operator.post(path, { act: "clear" });
  expect(mainOf((await operator.get(path)).text)).toContain("予定はありません。");
});

test("a campaign is opened from the form and closed from the list", async () => {
  const path = "/operator/campaigns";
  const donation_campaign_id = `c${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;
  const fields = {
    act: "open",
    donation_campaign_id,
    name: "海を守る",
    description: "砂浜を\n掃除します。",
    url: "https://umi.example/",
    opens_at: "2026-01-01T00:00",
    closes_at: "2999-01-01T00:00",
  };
  expect((await operator.post(path, { ...fields, url: "javascript:alert(1)" })).status).toBe(422);
  expect((await operator.post(path, fields)).status).toBe(303);
  expect(mainOf((await operator.get(`${path}?edit=${donation_campaign_id}`)).text)).toContain("砂浜を 掃除します。");
  expect((await operator.post(path, { act: "close", donation_campaign_id })).status).toBe(303);
  const [act] = await acts();
  expect(act).toMatchObject({ operation: "closeCampaign", subject: donation_campaign_id });
});

test("a removal is appealed from the page that the notification leads to, and the answer gives the post back", async () => {
  const author = await freshMember("作家");
  const event_id = await insertPost(author, { title: "消された題" });
  const own = await openBrowserAs(author);
  const address = `https://example.jp/${author.user.link_id}/events/${event_id}`;
  const found = `/operator/removals?${new URLSearchParams({ address })}`;
  const page = mainOf((await operator.get(found)).text);
  expect(page).toContain("消された題");
  const taken = await operator.post(found, {
    act: "take_down",
    subject_type: "event",
    subject_id: event_id,
    note: "第4条",
  });
  expect([taken.status, taken.location]).toEqual([303, found]);
  await tick();
  const news = (await own.get("/my/notifications")).text;
  const opened = /href="(\/my\/notifications\/[0-9a-z]{26})"/.exec(news)?.[1] ?? "";
  const removal = (await own.get(opened)).location ?? "";
  const places = [`/${author.user.link_id}/events/${event_id}`, "/my/posts", `/my/posts/${event_id}/edit`];
  for (const place of places) expect(mainOf((await own.get(place)).text), place).toContain(`href="${removal}"`);
  expect(mainOf((await own.get(removal)).text)).toContain("第4条");
  expect((await own.post(removal, { message: " " })).status).toBe(422);
  expect((await own.post(removal, { message: "引用のきまりに沿っています" })).status).toBe(303);
  const again = await own.post(removal, { message: "もう一度" });
  expect([again.status, mainOf(again.text).includes("異議の申し出は一度だけです")]).toEqual([409, true]);
  const appeal = removal.replace("/my/removals/", "/operator/appeals/");
  expect(mainOf((await operator.get("/operator/appeals")).text)).toContain(`href="${appeal}"`);
  expect(mainOf((await operator.get(appeal)).text)).toContain("引用のきまりに沿っています");
  expect((await operator.post(appeal, { act: "answer", note: "確認しました" })).status).toBe(422);
  expect((await operator.post(appeal, { act: "answer", decision: "granted", note: "確認しました" })).status).toBe(303);
  expect((await own.get(`/${author.user.link_id}/events/${event_id}`)).text).not.toContain("運営が公開を停止しました");
  expect(mainOf((await own.get(removal)).text)).toContain("確認しました");
  expect((await openBrowserAs("fan_taro").then((other) => other.get(removal))).status).toBe(404);
});

test("a payout is held, continues and is hastened from its row", async () => {
  const payee = await freshPayee("受け取る人", 4500);
  const { payout_id } = (await ask(createPayout, { token: payee.token, body: { amount: 4000 } })).payout;
  const path = "/operator/payouts";
  const rowOf = async () =>
    mainOf((await operator.get(path)).text)
      .split('<li class="operator-row">')
      .find((row) => row.includes(payout_id)) ?? "";
  expect(await rowOf()).toContain("4,000円");
  expect((await operator.post(path, { act: "hold", payout_id })).status).toBe(303);
  expect(await rowOf()).toContain("止めています");
  expect((await operator.post(path, { act: "release", payout_id })).status).toBe(303);
  expect(await rowOf()).toContain("手続き中");
  expect((await operator.post(path, { act: "retry", payout_id })).status).toBe(303);
  expect((await operator.post(path, { act: "hold", payout_id: NOBODY })).status).toBe(404);
  expect((await operator.post(path, { act: "burn", payout_id })).status).toBe(422);
});

test("a payment is found by each of its ids, and an unknown one is not given back", async () => {
  const row = await (await database())
    .prepare("SELECT payment_id, payment_intent_id, amount FROM payments WHERE withdrawn_at IS NULL LIMIT 1")
    .first<{ payment_id: string; payment_intent_id: string; amount: number }>();
  const { payment_id = "", payment_intent_id = "", amount = 0 } = row ?? {};
  for (const reference of [payment_id, payment_intent_id]) {
    const found = mainOf((await operator.get(`/operator/payments?reference=${reference}`)).text);
    expect(found).toContain(`${amount.toLocaleString("ja-JP")}円`);
    expect(found).toContain("全額を返金する");
  }
  for (const reference of [NOBODY, "not an id"]) {
    const { status, text } = await operator.get(`/operator/payments?${new URLSearchParams({ reference })}`);
    expect([status, mainOf(text).includes("この支払いは見つかりません")]).toEqual([200, true]);
  }
  // A payment of the demo stays as other tests know it; tests/api/refunds.test.ts gives its own back.
  expect((await operator.post("/operator/payments", { act: "refund", payment_id: NOBODY })).status).toBe(404);
  expect((await operator.post("/operator/payments", { act: "hold", payment_id: NOBODY })).status).toBe(422);
  const reason = "盗まれたカードの疑い";
  expect((await operator.post("/operator/payments", { act: "hold", payment_id: NOBODY, reason })).status).toBe(404);
});

test("a given-up event is tried again, and an address gets no mail until it is released", async () => {
  const outbox_id = `gone-${crypto.randomUUID()}`;
  await (await database())
    .prepare(
      `INSERT INTO outbox (outbox_id, kind, payload, created_at, attempts, last_error)
       VALUES (?, 'ofuse_sent', '{}', '2026-01-01T00:00:00.000Z', 20, 'the index is away')`,
    )
    .bind(outbox_id)
    .run();
  expect(mainOf((await operator.get("/operator/outbox")).text)).toContain("the index is away");
  expect((await operator.post("/operator/outbox", { act: "retry", outbox_id })).status).toBe(303);
  expect((await operator.post("/operator/outbox", { act: "retry", outbox_id })).status).toBe(404);
  const path = "/operator/mails/suppressions";
  const reason = "本人からの連絡";
  const wrong = await operator.post(path, { act: "suppress", address: "nobody", reason });
  expect([wrong.status, mainOf(wrong.text).includes('value="nobody"')]).toEqual([422, true]);
  const address = `${crypto.randomUUID()}@example.jp`;
  const unreasoned = await operator.post(path, { act: "suppress", address });
  expect([unreasoned.status, mainOf(unreasoned.text).includes("理由を入力してください。")]).toEqual([422, true]);
  const find = async () => mainOf((await operator.get(`${path}?${new URLSearchParams({ keyword: address })}`)).text);
  for (const [act, shown] of [
    ["suppress", "運営が停止"],
    ["release", "このアドレスは止まっていません"],
  ] as const) {
    expect((await operator.post(path, { act, address, reason })).status).toBe(303);
    const [last] = await acts();
    expect(last).toMatchObject({
      operation: "setMailSuppressed",
      input: { is_suppressed: act === "suppress", reason },
    });
    expect(JSON.stringify(last)).not.toContain(address);
    const found = await find();
    expect(found).toContain(shown);
    if (act === "suppress") expect(found).toContain(last?.subject);
    // The list without an address names none.
    const list = mainOf((await operator.get(path)).text);
    expect(list).not.toContain(address);
    if (act === "suppress") expect(list).toMatch(/理由ごとの数.*運営が停止.*件/s);
  }
  expect((await operator.post("/operator/mails", { act: "retry", mail_id: "receipt:nothing" })).status).toBe(404);
});

test("a feature is paused with a reason, pages say so above their forms and keep the words, and it is resumed", async () => {
  const path = "/operator/features";
  const guest = await browser();
  const letter_path = "/natsume/ofuse/paid";
  const words = { price: "550", message: "とても好きな絵です", sender_name: "花" };
  const NOTICE = "ログインしていない方からの有料のofuseの受け付けを休んでいます";
  const refused = await operator.post(path, { act: "guest_letters", reason: " " });
  expect([refused.status, mainOf(refused.text).includes("理由を入力してください。")]).toEqual([422, true]);
  expect((await operator.post(path, { act: "guest_letters", reason: "盗まれたカード" })).status).toBe(303);
  try {
    expect(mainOf((await operator.get(path)).text)).toContain("盗まれたカード");
    expect((await acts())[0]).toMatchObject({
      operation: "setFeaturePaused",
      subject: "guest_letters",
      input: { is_paused: true, reason: "盗まれたカード" },
    });
    // Each visitor's page tells the web worker.
    await waitUntil(async () => (await guest.get("/natsume")) && (await guest.get(letter_path)).text.includes(NOTICE));
    expect((await operator.get(letter_path)).text, "a member's form is open").not.toContain(NOTICE);
    const sent = await guest.post(letter_path, words);
    expect([sent.status, mainOf(sent.text).includes(NOTICE)]).toEqual([409, true]);
    expect(mainOf(sent.text)).toContain(words.message);
  } finally {
    expect((await operator.post(path, { act: "resume:guest_letters", reason: "止まった" })).status).toBe(303);
    await waitUntil(async () => (await guest.get("/natsume")) && !(await guest.get(letter_path)).text.includes(NOTICE));
  }
  expect((await guest.post(letter_path, words)).status).toBe(303);
});

test("a limit is changed within its bounds, and goes back to its standard value", async () => {
  const path = "/operator/limits";
  const wrong = await operator.post(path, { act: "report_older", value: "501", reason: "荒らし" });
  expect([wrong.status, mainOf(wrong.text).includes("標準の10倍まで")]).toEqual([422, true]);
  expect(mainOf(wrong.text)).toContain("荒らし");
  expect((await operator.post(path, { act: "report_older", value: "２０", reason: "荒らし" })).status).toBe(303);
  expect(mainOf((await operator.get(path)).text)).toContain("標準は50回");
  expect((await operator.post(path, { act: "report_older", value: "", reason: "済んだ" })).status).toBe(303);
  expect(mainOf((await operator.get(path)).text)).not.toContain("標準は50回");
});

test("a piece of news is drafted, previewed, published once, edited without losing words, and withdrawn", async () => {
  const path = "/operator/news";
  const guest = await browser();
  const title = `停止のお知らせ ${crypto.randomUUID().slice(0, 8)}`;
  const key = { idempotency_key: crypto.randomUUID() };
  const words = { act: "news", title, category: "メンテナンス", day: "2026-12-01", body: "# 日時\n\n午前**2時**から" };
  const wrong = await operator.post(`${path}/new`, { ...words, ...key, day: "2020-01-01", do: "save" });
  const [year, month, date] = FIRST_NEWS_DAY.split("-");
  expect([wrong.status, mainOf(wrong.text).includes(`${year}年${Number(month)}月${Number(date)}日か`)]).toEqual([
    422,
    true,
  ]);
  expect(mainOf(wrong.text)).toContain("午前**2時**から");
  const unfinished = await operator.post(`${path}/new`, { ...words, ...key, body: "", do: "publish" });
  expect([unfinished.status, mainOf(unfinished.text).includes("本文を入力してください")]).toEqual([422, true]);
  const sent = [1, 2].map(() => operator.post(`${path}/new`, { ...words, ...key, do: "preview" }));
  const [saved, again] = await Promise.all(sent);
  expect(saved?.status).toBe(303);
  expect(again?.location, "pressed twice, written once").toBe(saved?.location);
  const preview = saved?.location ?? "";
  const edit = preview.replace("/preview", "");
  const news_id = edit.replace(`${path}/`, "");
  const shown = `/news/${news_id}`;
  expect(mainOf((await operator.get(preview)).text)).toMatch(/<h2>日時<\/h2><p>午前<strong>2時<\/strong>から<\/p>/);
  expect((await guest.get(shown)).status).toBe(404);
  expect(mainOf((await guest.get("/news")).text)).not.toContain(title);
  await refused(getNews, "not_found", { params: { news_id } });
  const form = fieldsOf((await operator.get(edit)).text, edit);
  expect((await operator.post(edit, { ...form, ...words, do: "publish" })).status).toBe(303);
  expect((await acts())[0]).toMatchObject({ operation: "updateNews", subject: news_id, input: { is_published: true } });
  await waitUntil(async () => mainOf((await guest.get("/news")).text).includes(title));
  const page = await guest.get(shown);
  expect(page.text).toContain(`<meta property="og:title" content="${title}`);
  expect(page.text).toContain('"@type":"NewsArticle"');
  expect(page.headers.get("cache-control")).toBe("public, no-cache");
  expect((await guest.get("/sitemap/pages.xml")).text).toContain(shown);
  expect((await ask(listNews)).news.map((each) => each.news_id)).toContain(news_id);
  const faulty = await operator.post(edit, { ...form, ...words, day: "2020-01-01", do: "publish" });
  const corrected = { ...fieldsOf(faulty.text, edit), ...words, body: "別の言葉" };
  const late = await operator.post(edit, { ...corrected, do: "publish" });
  expect([late.status, mainOf(late.text).includes("別の画面で変更されています")]).toEqual([409, true]);
  expect(mainOf(late.text)).toContain("別の言葉");
  const newer = fieldsOf(late.text, edit);
  expect((await operator.post(edit, { ...newer, ...words, body: "別の言葉", do: "publish" })).status).toBe(303);
  await waitUntil(async () => mainOf((await guest.get(shown)).text).includes("別の言葉"));
  const published = fieldsOf((await operator.get(edit)).text, edit);
  expect((await operator.post(edit, { ...published, ...words, do: "save" })).status).toBe(303);
  await waitUntil(async () => (await guest.get(shown)).status === 404);
  expect((await operator.post(edit, { act: "delete" })).location).toBe(path);
  expect((await operator.get(edit)).status).toBe(404);
});
