import { beforeAll, describe, expect, test } from "vitest";
import { type Newsletter, newsletters } from "../../scripts/demo/newsletters.ts";
import {
  createNewsletter,
  deleteNewsletter,
  getNewsletter,
  getNewsletterStops,
  listNewsletters,
  listOwnNewsletters,
  previewNewsletter,
  testNewsletter,
  updateNewsletter,
  updateNewsletterStops,
} from "../../workers/contract/newsletters.ts";
import { follow } from "../../workers/contract/relationships.ts";
import { japaneseMonthOf } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { database, freshCreator, freshMember, type Member, signIn } from "../support/network.ts";
import { ask, type Call, refused } from "./support/calls.ts";

const newestFirst = (a: Newsletter, b: Newsletter) => a.written_days_ago - b.written_days_ago;
const titlesBy = (author: string, keep: (newsletter: Newsletter) => boolean = () => true) =>
  newsletters
    .filter((newsletter) => newsletter.author === author && keep(newsletter))
    .sort(newestFirst)
    .map(({ title }) => title);

let natsume: string;
beforeAll(async () => {
  natsume = await signIn("natsume");
});

/** Returns the member's own list. */
async function listed(token: string, query: Call["query"] = {}) {
  const { news_letters, ...closing } = await ask(listOwnNewsletters, { token, query });
  return { ...closing, news_letters, titles: news_letters.map(({ title }) => title) };
}

/** Adds a newsletter, sent or scheduled at that moment; a draft without one. */
async function put({ user }: Member, title: string, sent_ms: number | null = null): Promise<void> {
  const now = new Date().toISOString();
  const publish_at = sent_ms && new Date(sent_ms).toISOString();
  const is_sent = sent_ms !== null && sent_ms <= Date.now();
  const waiting = sent_ms === null ? "draft" : "scheduled";
  await (await database())
    .prepare(
      `INSERT INTO newsletters (newsletter_id, user_id, title, body, fan_scope, status, publish_at, published_at,
         created_at, updated_at) VALUES (?1, ?2, ?3, '本文', 'fans', ?4, ?5, ?6, ?7, ?7)`,
    )
    .bind(
      newId(Date.now()),
      user.user_id,
      title,
      is_sent ? "published" : waiting,
      publish_at,
      is_sent ? publish_at : null,
      now,
    )
    .run();
}

describe("the caller", () => {
  test("must be signed in and registered", async () => {
    await refused(listOwnNewsletters, "unauthenticated");
    await refused(listOwnNewsletters, "token_invalid", { token: "garbage" });
    await refused(listOwnNewsletters, "registration_required", { token: await signIn("fan_new") });
  });

  test("gets only their own newsletters", async () => {
    expect((await listed(natsume)).titles).toEqual(titlesBy("natsume"));
    expect((await listed(await signIn("sumire"))).titles).toEqual(titlesBy("sumire"));
    expect((await listed(await signIn("hibiki"))).titles).toEqual([]);
  });

  test("gets an empty list and no remaining newsletters if they are not a creator", async () => {
    expect(await listed(await signIn("fan_hana"), { is_draft: false })).toMatchObject({
      news_letters: [],
      has_next: false,
      remaining_count: 0,
    });
  });
});

describe("the list", () => {
  test("lists drafts, scheduled and sent newsletters, or all", async () => {
    const drafts = await listed(natsume, { is_draft: true });
    expect(drafts.titles).toEqual(titlesBy("natsume", ({ sent_days_ago }) => sent_days_ago === null));
    expect(drafts.news_letters).toMatchObject([
      { is_draft: true, status: "draft", publish_at: null, published_at: null },
    ]);
    const sent = await listed(natsume, { is_draft: false });
    expect(sent.titles).toEqual(titlesBy("natsume", ({ sent_days_ago }) => sent_days_ago !== null));
    expect(sent.news_letters.map(({ status }) => status)).toEqual(["scheduled", "published", "published"]);
    for (const { is_draft, status, publish_at, published_at } of sent.news_letters) {
      expect(is_draft).toBe(false);
      expect(published_at).toBe(status === "published" ? publish_at : null);
    }
    const scheduled = sent.news_letters.filter(({ status }) => status === "scheduled").map(({ title }) => title);
    expect((await listed(natsume, { listing: "scheduled" })).titles).toEqual(scheduled);
    for (const query of [{ is_draft: "maybe" }, { listing: "sent" }])
      await refused(listOwnNewsletters, "validation_failed", { token: natsume, query });
  });

  test("names the plan whose members receive it", async () => {
    const { news_letters } = await listed(await signIn("sumire"), { is_draft: false });
    expect(news_letters).toMatchObject([{ fan_scope: "memberships", membership_id: expect.any(String) }]);
  });

  test("comes page by page, each newsletter once, and is empty past the end", async () => {
    const pages = await Promise.all([1, 2, 3].map((page_number) => listed(natsume, { page_number, page_size: 3 })));
    expect(pages.flatMap(({ titles }) => titles)).toEqual(titlesBy("natsume"));
    expect(pages.map(({ page_number, page_size, has_next }) => [page_number, page_size, has_next])).toEqual([
      [1, 3, true],
      [2, 3, false],
      [3, 3, false],
    ]);
  });
});

describe("the remaining newsletters of the month", () => {
  test("are in the answer of every list", async () => {
    const all = await listed(natsume);
    expect(all.remaining_count).toBeLessThan(4);
    const { start_ms, end_ms } = japaneseMonthOf(Date.now());
    const counted = all.news_letters.filter(({ publish_at }) => {
      const ms = Date.parse(publish_at ?? "");
      return ms >= start_ms && ms < end_ms;
    });
    expect(all.remaining_count).toBe(4 - counted.length);
    for (const query of [{ page_size: 1, is_draft: false }, { is_draft: true }, { page_number: 50 }]) {
      expect((await listed(natsume, query)).remaining_count).toBe(all.remaining_count);
    }
  });

  test("are four, less those that the same creator has sent or scheduled this month", async () => {
    const [member, neighbour] = [await freshCreator("書き手"), await freshCreator("書き手")];
    const left = async () => (await listed(member.token, { page_size: 1, is_draft: false })).remaining_count;
    const { start_ms, end_ms } = japaneseMonthOf(Date.now());
    expect(await left()).toBe(4);
    await put(member, "下書き");
    await put(member, "先月のたより", start_ms - 1);
    await put(member, "来月のたより", end_ms);
    expect(await left()).toBe(4);
    await put(member, "今月のたより", start_ms);
    expect(await left()).toBe(3);
    await put(member, "今月の予約", end_ms - 1);
    expect(await left()).toBe(2);
    for (const title of ["三通目", "四通目", "五通目"]) await put(member, title, start_ms);
    expect(await left()).toBe(0);
    expect((await listed(neighbour.token)).remaining_count).toBe(4);
  });
});

test("a newsletter is created, changed, shown as a mail, tested, published and then fixed", async () => {
  const [{ token, user }, fan, follower] = await Promise.all([
    freshCreator("便りの作家"),
    freshMember("便りの読者"),
    freshMember("便りを待つ人"),
  ]);
  const text = (words: string) => [{ type: "paragraph" as const, content: [{ type: "text" as const, text: words }] }];
  const empty = await ask(createNewsletter, { token, body: {} });
  const params = { id: empty.news_letter.id };
  await refused(testNewsletter, "newsletter_empty", { token, params });
  await refused(updateNewsletter, "validation_failed", { token, params, body: { status: "published", title: "題" } });
  const image = { type: "embed", url: "https://www.youtube.com/watch?v=dQw4w9WgXcQ" };
  await refused(updateNewsletter, "validation_failed", { token, params, body: { document: [image] } });
  const past = { title: "題", document: text("本文"), status: "scheduled", publish_at: "2026-01-01T00:00:00.000Z" };
  await refused(updateNewsletter, "publish_at_passed", { token, params, body: past });
  const { news_letter } = await ask(updateNewsletter, {
    token,
    params,
    body: { title: "はじめの便り", document: text("ようこそ。"), seen_updated_at: empty.news_letter.updated_at },
  });
  expect(news_letter).toMatchObject({ is_draft: true, body: "ようこそ。", is_locked: false });
  expect(await ask(previewNewsletter, { token, params })).toMatchObject({
    subject: "はじめの便り｜便りの作家さんのニュースレター",
    text: expect.stringContaining("送信者："),
  });
  expect(await ask(testNewsletter, { token, params })).toEqual({ is_sent: true });
  const published = { title: "はじめの便り", document: text("ようこそ。"), status: "published" as const };
  const audiences = async () => (await listed(token, { with_audiences: true })).audiences;
  expect(await audiences()).toEqual([{ membership_id: null, receivers_count: 0, has_readers: false }]);
  await refused(updateNewsletter, "newsletter_without_receivers", { token, params, body: published });
  await ask(follow, { token: follower.token, body: { following_id: user.user_id } });
  expect(await audiences()).toEqual([{ membership_id: null, receivers_count: 1, has_readers: true }]);
  expect(await listed(token), "only when asked for").not.toHaveProperty("audiences");
  await ask(updateNewsletter, { token, params, body: published });
  await refused(updateNewsletter, "newsletter_published", { token, params, body: { title: "別の題" } });
  await refused(deleteNewsletter, "newsletter_published", { token, params });
  expect((await ask(getNewsletter, { token: fan.token, params })).news_letter).toMatchObject({ document: null });
  expect((await ask(listNewsletters, { token: fan.token })).news_letters).toEqual([]);
  await refused(getNewsletterStops, "not_found", { query: { token: "x" } });
  await refused(updateNewsletterStops, "not_found", { body: { token: "x", is_stopped: true } });
});
