import { beforeAll, expect, test } from "vitest";
import { createNewsletter, listOwnNewsletters } from "../../workers/contract/newsletters.ts";
import { follow } from "../../workers/contract/relationships.ts";
import { japaneseMonthOf } from "../../workers/kernel/clock.ts";
import {
  type Browser,
  browser,
  database,
  freshCreator,
  freshMember,
  type Member,
  openBrowserAs,
  type Page,
  tick,
} from "../support/network.ts";
import { pngOf, quarters } from "../support/pictures.ts";
import { waitUntil } from "../support/wait.ts";
import { ask } from "./support/calls.ts";

/** Newsletters in the pages without script: written, scheduled, published by the clock, read as page and mail, stopped. */

const main = ({ text }: Page) => text.split('<main id="main">')[1]?.split("</main>")[0] ?? "";
const words = (page: Page) => main(page).replace(/<[^>]*>/g, "");

let creator: Member;
let fan: Member;
let own: Browser;
let reader: Browser;
beforeAll(async () => {
  [creator, fan] = await Promise.all([freshCreator("便りを書く人"), freshMember("便りを読む人")]);
  await ask(follow, { token: fan.token, body: { following_id: creator.user.user_id } });
  [own, reader] = await Promise.all([openBrowserAs(creator), openBrowserAs(fan)]);
});

const BODY = "こんにちは。\n\n# 見出しの言葉\n\n[わたしの店](https://shop.example/)をひらきました。";
const letter = (fields: Record<string, string> = {}) => ({
  author: creator.user.user_id,
  idempotency_key: crypto.randomUUID(),
  title: "窓辺だより",
  body: BODY,
  audience: "fans",
  publish_at: "",
  do: "save",
  ...fields,
});
/** Returns the value of a date and time field: Japanese time. */
const inTokyo = (ms: number) => new Date(ms + 9 * 60 * 60 * 1000).toISOString().slice(0, 16);
const countRemaining = async () => (await ask(listOwnNewsletters, { token: creator.token })).remaining_count;

async function mailsTo(email: string): Promise<{ subject: string; text: string; html: string }[]> {
  const page = await (await browser()).get("/dev/outbox");
  const mails = main(page)
    .split("<li")
    .filter((item) => item.includes(email));
  return Promise.all(
    mails.map(async (item) => {
      const src = /src="([^"]+)"/.exec(item)?.[1] ?? "";
      const html = (await (await browser()).get(src)).text;
      const subject = /<h2>(.*?)<\/h2>/.exec(item)?.[1] ?? "";
      return { subject, text: item.replace(/<[^>]*>/g, ""), html };
    }),
  );
}

test("a draft that its page saves is created once, is changed by its last reader alone, and never unschedules", async () => {
  const form = letter({ newsletter_id: "", seen_updated_at: "" });
  const save = async (fields: Record<string, string>, who = own) => {
    const { status, text } = await who.post("/my/news_letters/save.json", { ...form, ...fields });
    return {
      status,
      ...(JSON.parse(text) as Record<"code" | "newsletter_id" | "seen_updated_at" | "saved_at", string>),
    };
  };
  const first = await save({});
  expect(first).toMatchObject({ status: 200, saved_at: first.seen_updated_at });
  expect(await save({}), "the answer was lost").toEqual(first);
  const { newsletter_id, seen_updated_at } = first;
  const second = await save({ newsletter_id, seen_updated_at, title: "書き足した題" });
  expect(second).toMatchObject({ status: 200, newsletter_id });
  expect(await save({ newsletter_id, seen_updated_at, title: "書き足した題" }), "lost again").toEqual(second);
  const refused = [
    await save({ newsletter_id, seen_updated_at, title: "べつの画面" }),
    await save({ newsletter_id, title: "時刻のない画面" }),
    await save({ newsletter_id, seen_updated_at: second.seen_updated_at, title: "長".repeat(300) }),
    await save({ newsletter_id, seen_updated_at: second.seen_updated_at, author: fan.user.user_id }, reader),
    await save({}, await browser()),
  ];
  expect(refused.map(({ status, code }) => [status, code])).toEqual([
    [409, "newsletter_conflict"],
    [422, "validation_failed"],
    [422, "validation_failed"],
    [404, "not_found"],
    [401, "unauthenticated"],
  ]);
  const edit = `/my/news_letters/${newsletter_id}/edit`;
  expect(main(await own.get(edit))).toContain("書き足した題");
  // The page is closed before the answer to its last save arrives.
  const closed = await save({ newsletter_id, seen_updated_at, title: "閉じるまえの題", do: "overwrite" });
  expect(closed.status).toBe(200);
  expect(main(await own.get(edit))).toContain("閉じるまえの題");
  const unsaved = await save({ title: "はじめの保存のまえに閉じた", do: "overwrite" });
  expect([unsaved.status, unsaved.newsletter_id === newsletter_id]).toEqual([200, false]);
  // A page that was open before the first save sends its buttons to the address of a new newsletter.
  const publish_at = inTokyo(Date.now() + 60 * 60 * 1000);
  const scheduled = { ...form, newsletter_id, seen_updated_at: closed.seen_updated_at, do: "schedule", publish_at };
  expect((await own.post("/my/news_letters/new", scheduled)).location).toBe("/my/news_letters?filter=scheduled");
  for (const button of ["save", "overwrite"]) {
    const late = await save({ newsletter_id, seen_updated_at: second.seen_updated_at, title: "書きかけ", do: button });
    expect([late.status, late.code]).toEqual([409, "newsletter_conflict"]);
  }
  await own.post(edit, letter({ do: "delete" }));
});

test("words that were refused do not replace what another page saved meanwhile", async () => {
  const versionOf = (page: Page) => /name="seen_updated_at" value="([^"]*)"/.exec(main(page))?.[1] ?? "";
  const edit = (await own.post("/my/news_letters/new", letter())).location ?? "";
  const opened = versionOf(await own.get(edit));
  await own.post(edit, letter({ seen_updated_at: opened, title: "べつの画面の題" }));

  const refused = await own.post(edit, letter({ seen_updated_at: opened, title: "長".repeat(300) }));
  expect(refused.status).toBe(422);
  const corrected = await own.post(edit, letter({ seen_updated_at: versionOf(refused), title: "直した題" }));
  expect(corrected.status).toBe(409);
  expect(main(corrected)).toContain("直した題");
  expect(main(await own.get(edit))).toContain("べつの画面の題");

  const chosen = { seen_updated_at: versionOf(corrected), title: "直した題", do: "overwrite" };
  expect((await own.post(edit, letter(chosen))).location).toBe(edit);
  await own.post(edit, letter({ do: "delete" }));
});

test("a newsletter is written, previewed, tested, scheduled, cancelled and scheduled again", async () => {
  const began = await countRemaining();
  const refused = await own.post("/my/news_letters/new", letter({ title: "", do: "schedule" }));
  expect(refused.status).toBe(422);
  expect(words(refused)).toContain("タイトルを入力してください。");
  expect(words(refused)).toContain("配信する日時を入力してください。");
  expect(main(refused)).toContain("見出しの言葉");

  const planned = inTokyo(Date.now() + 2 * 60 * 60 * 1000);
  const edit = (await own.post("/my/news_letters/new", letter({ publish_at: planned }))).location ?? "";
  expect(edit).toMatch(/^\/my\/news_letters\/\w{26}\/edit$/);
  expect(main(await own.get(edit)), "a draft keeps the date").toContain(`value="${planned}"`);
  expect(await countRemaining(), "which counts for no month").toBe(began);
  const path = edit.replace(/\/edit$/, "");
  expect(main(await own.get(edit))).toContain("[わたしの店](https://shop.example/)");

  expect((await own.post(edit, letter({ do: "preview" }))).location).toBe(`${path}/preview`);
  const preview = await own.get(`${path}/preview`);
  expect(words(preview)).toContain("窓辺だより｜便りを書く人さんのニュースレター");
  // The frame holds the mail itself, without scripts and without anything from elsewhere.
  expect(preview.text).toMatch(/<iframe[^>]*srcDoc="[^"]*https:\/\/shop\.example\/[^"]*"[^>]*sandbox=""/i);

  expect((await own.post(edit, letter({ do: "test" }))).location).toBe(edit);
  await waitUntil(async () => {
    const [test] = await mailsTo(creator.email);
    expect(test?.subject).toBe("［テスト］窓辺だより｜便りを書く人さんのニュースレター");
  });

  const publish_ms = Date.now() + 60 * 60 * 1000;
  const publish_at = inTokyo(publish_ms);
  // In the last hour of a month it counts for the next.
  const counted = publish_ms < japaneseMonthOf(Date.now()).end_ms ? 1 : 0;
  await own.post(edit, letter({ do: "schedule", publish_at }));
  expect(await countRemaining()).toBe(began - counted);
  expect(words(await own.get(edit))).toContain("に配信します");
  await own.post(edit, letter({ do: "cancel", status: "scheduled", publish_at }));
  expect(await countRemaining()).toBe(began);
  const stale = letter({ do: "save", status: "draft", seen_updated_at: "2026-01-01T00:00:00.000Z", title: "別の題" });
  const conflict = await own.post(edit, stale);
  expect([conflict.status, words(conflict)]).toEqual([409, expect.stringContaining("別の画面で変更されています")]);
  expect(main(conflict)).toContain('value="別の題"');
  expect((await own.post(edit, { ...stale, do: "overwrite" })).status).toBe(303);
  // Neither exists for the follower.
  for (const hidden of [path, `${path}/preview`]) expect((await reader.get(hidden)).status).toBe(404);
  // The button is pressed twice.
  for (const _press of [1, 2]) {
    expect((await own.post(edit, letter({ do: "delete" }))).location).toBe("/my/news_letters");
  }
  expect((await own.get(edit)).status).toBe(404);
});

test("the clock publishes it, the fan gets a notification, a page and a mail, and one click ends the mails", async () => {
  const { news_letter } = await ask(createNewsletter, {
    token: creator.token,
    body: {
      title: "時計が運ぶ便り",
      document: [{ type: "paragraph", content: [{ type: "text", text: "フォローした人だけの言葉" }] }],
      status: "scheduled",
      publish_at: new Date(Date.now() + 60 * 60 * 1000).toISOString(),
    },
  });
  const path = `/my/news_letters/${news_letter.id}`;
  await (await database())
    .prepare("UPDATE newsletters SET publish_at = ? WHERE newsletter_id = ?")
    .bind(new Date(Date.now() - 1000).toISOString(), news_letter.id)
    .run();
  await tick();
  expect(words(await reader.get("/my/notifications"))).toContain("便りを書く人さんからニュースレターが届きました。");
  expect(main(await reader.get("/my/news_letters/received"))).toContain(`href="${path}"`);
  expect(words(await reader.get(path))).toContain("フォローした人だけの言葉");
  const stranger = await openBrowserAs(await freshMember("よその人"));
  const locked = await stranger.get(path);
  expect(words(locked)).toContain("フォロワー限定です");
  expect(locked.text).not.toContain("だけの言葉");
  const visitor = await browser();
  expect((await visitor.get(path)).location).toBe(`/login?${new URLSearchParams({ to: path })}`);
  const feed = await visitor.get(`/${creator.user.link_id}/feed.xml`);
  expect(feed.text).not.toContain("時計が運ぶ便り");

  let stop = "";
  await waitUntil(async () => {
    const mail = (await mailsTo(fan.email)).find(({ subject }) => subject.startsWith("時計が運ぶ便り"));
    expect(mail?.html).toContain("フォローした人だけの言葉");
    expect(mail?.html).not.toMatch(/<img/i);
    stop = new URL(/href="([^"]+\/unsubscribe\/[^"]+)"/.exec(mail?.html ?? "")?.[1] ?? "http://x/").pathname;
  });
  // Opening the link changes nothing; a mailbox posts without an origin and without cookies.
  expect(words(await visitor.get(stop))).toContain("メールで受け取っています");
  const click = { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) };
  expect((await visitor.send(stop, click)).status).toBe(200);
  expect(words(await visitor.get(stop))).toContain("メールで受け取っていません");
  // The outbox shows a mail before it is sent.
  await waitUntil(async () => {
    await tick();
    const [sent] = (await ask(listOwnNewsletters, { token: creator.token, query: { is_draft: false } })).news_letters;
    expect(sent).toMatchObject({ receivers_count: 1, sent_count: 1, bounced_count: 0, unsubscribed_count: 1 });
  });
  expect(words(await own.get("/my/news_letters"))).toContain("送信 1 / 1通、不達 0通、配信停止 1回");
  expect((await visitor.post(stop, { do: "resume" })).location).toBe(stop);
  expect(words(await visitor.get(stop))).toContain("メールで受け取っています");
  expect((await visitor.send(`${stop}x`, click)).status).toBe(404);
  // Four are the most of a month: the page does not offer a fifth.
  const document = [{ type: "paragraph" as const, content: [{ type: "text" as const, text: "本文" }] }];
  for (let left = await countRemaining(); left > 0; left--)
    await ask(createNewsletter, { token: creator.token, body: { title: "題", document, status: "published" } });
  const full = await own.get("/my/news_letters/new");
  expect(words(full)).toContain("今月は4回の配信が済んでいるため");
  expect(full.text).not.toContain("いますぐ配信する<");
});

test("a picture is uploaded with the form, and reaches the reader's page and mail, and nobody's else page", async () => {
  const [painter, stranger] = await Promise.all([freshCreator("絵の便りを書く人"), openBrowserAs("fan_hana")]);
  await ask(follow, { token: fan.token, body: { following_id: painter.user.user_id } });
  const writer = await openBrowserAs(painter);
  const typed = (fields: Record<string, string> = {}) =>
    letter({ author: painter.user.user_id, title: "絵のたより", body: "窓の話。", ...fields });
  const upload = async (path: string, file: File, fields: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(typed(fields))) if (name !== "do") form.append(name, value);
    form.append("file", file);
    const encoded = new Response(form);
    const headers = { ...writer.sameOrigin(), "content-type": encoded.headers.get("content-type") ?? "" };
    return writer.send(path, { method: "POST", body: new Uint8Array(await encoded.arrayBuffer()), headers });
  };
  const broken = await upload("/my/news_letters/new", new File(["x"], "壊<b>.png", { type: "image/png" }));
  expect(broken.status).toBe(422);
  expect(main(broken)).toContain("壊&lt;b&gt;.png：");
  expect(main(broken)).toContain("窓の話。");

  const png = new File([new Uint8Array(pngOf(quarters(80, 60)))], "窓.png", { type: "image/png" });
  const taken = await upload("/my/news_letters/new", png);
  expect(taken.location).toMatch(/^\/my\/news_letters\/\w{26}\/edit#pictures$/);
  const edit = taken.location?.split("#")[0] ?? "";
  const form = main(await writer.get(edit));
  const [, image_id = ""] = /name="images"[^>]*value="(\w{26})"/.exec(form) ?? [];
  const [, mark = ""] = /<code>(\[画像:\w{5}\])<\/code>/.exec(form.slice(form.indexOf('id="pictures"'))) ?? [];
  const fields = { images: image_id, [`alt.${image_id}`]: "窓の絵", body: `窓の話。\n\n${mark}` };
  const unplaced = await writer.post(edit, typed({ ...fields, body: "窓の話。", do: "publish" }));
  expect([unplaced.status, words(unplaced).includes("まだ本文に入っていない画像があります")]).toEqual([422, true]);
  const unsent = await writer.post(edit, typed({ ...fields, file: "忘れた.png", do: "publish" }));
  expect([unsent.status, words(unsent).includes("選んだファイル（忘れた.png）が")]).toEqual([422, true]);
  expect((await writer.post(edit, typed({ ...fields, move: `${image_id}:remove` }))).location).toBe(`${edit}#pictures`);
  expect(main(await writer.get(edit))).not.toContain(image_id);
  const sent = await writer.post(edit, typed({ ...fields, do: "publish" }));
  expect(sent.location).toBe(edit.replace(/\/edit$/, ""));

  const picture = new RegExp(
    `<img[^>]*src="/media/${image_id}/medium"[^>]*alt="窓の絵"|<img[^>]*alt="窓の絵"[^>]*src="/media/${image_id}/medium"`,
  );
  expect(main(await reader.get(sent.location ?? ""))).toMatch(picture);
  expect((await stranger.get(sent.location ?? "")).text).not.toContain(image_id);
  const seen = await (await browser()).send(`/media/${image_id}/medium`, {});
  expect([seen.status, seen.headers.get("content-type")]).toEqual([200, expect.stringMatching(/^image\//)]);
  await waitUntil(async () => {
    await tick();
    const mails = await mailsTo(fan.email);
    expect(mails.find(({ subject }) => subject.includes("絵のたより"))?.html).toMatch(
      new RegExp(`<img src="https?://[^"]+/media/${image_id}/medium"[^>]*alt="窓の絵"`),
    );
  });
});
