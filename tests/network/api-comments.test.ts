import { beforeAll, describe, expect, test } from "vitest";
import { comments as demoComments } from "../../scripts/demo/comments.ts";
import { posts } from "../../scripts/demo/posts.ts";
import { listEventComments } from "../../workers/contract/comments.ts";
import { listOwnEvents } from "../../workers/contract/events.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { browser, database, freshMember, signIn } from "../support/network.ts";
import { ask, NOBODY, refused, userId } from "./support/calls.ts";

/** The id of a post of the demo world. */
async function eventId(key: string): Promise<string> {
  const post = posts.find((each) => each.key === key);
  const { events } = await ask(listOwnEvents, { token: await signIn(post?.author ?? ""), query: { page_size: 100 } });
  return events.find(({ title }) => title === post?.title)?.event_id ?? "";
}

/** A post of its author's own, empty of comments. */
async function freshEvent(): Promise<string> {
  const { user } = await freshMember("書き手");
  const event_id = newId(Date.now());
  const now = new Date().toISOString();
  await (await database())
    .prepare(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
       VALUES (?, ?, 'text', '題', '書き出し', '本文', 'published', 'public', ?, ?)`,
    )
    .bind(event_id, user.user_id, now, now)
    .run();
  return event_id;
}

interface Said {
  amount?: number;
  parent_comment_id?: string | null;
  hidden_at?: string | null;
}

let clock_ms = Date.UTC(2026, 0, 1);
/** Each one a second after the last; returns its id. */
async function say(event_id: string, message: string, said: Said = {}): Promise<string> {
  clock_ms += 1000;
  const comment_id = newId(clock_ms);
  const { amount = 0, parent_comment_id = null, hidden_at = null } = said;
  await (await database())
    .prepare("INSERT INTO event_comments VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    .bind(
      comment_id,
      event_id,
      await userId("fan_hana"),
      message,
      amount,
      parent_comment_id,
      new Date(clock_ms).toISOString(),
      hidden_at,
    )
    .run();
  return comment_id;
}

const messagesOf = async (event_id: string, query: Record<string, number> = {}) =>
  (await ask(listEventComments, { params: { event_id }, query })).comments.map(({ message }) => message);

test("the demo world's comments stand under their posts, each reply below what it answers", async () => {
  const { comments } = await ask(listEventComments, { params: { event_id: await eventId("natsume_harbour") } });
  const threads = demoComments.filter(({ post }) => post === "natsume_harbour").reverse();
  expect(comments.map(({ user, message }) => [user.link_id, message])).toEqual(
    threads.flatMap(({ replies = [], ...comment }) =>
      [comment, ...replies].map(({ from, message }) => [from, message]),
    ),
  );
  const [first, reply] = comments;
  expect(first).toMatchObject({ paid: false, amount: 0, currency: "jpy", parent_comment_id: null });
  expect(reply?.parent_comment_id).toBe(first?.comment_id);
});

describe("who may read the comments", () => {
  let viewers: Record<string, string | null>;
  beforeAll(async () => {
    viewers = {
      visitor: null,
      unregistered: await signIn("fan_new"),
      stranger: (await freshMember("とおりすがり")).token,
      subscriber: await signIn("fan_hana"),
      owner: await signIn("natsume"),
    };
  });

  test.each([
    ["natsume_harbour", ["visitor", "unregistered", "stranger", "subscriber", "owner"]],
    ["natsume_roughs", ["subscriber", "owner"]],
    ["natsume_wallpaper", ["subscriber", "owner"]],
    ["natsume_postcards", ["owner"]],
  ])("of %s is who may read the post", async (key, readers) => {
    const params = { event_id: await eventId(key) };
    for (const [viewer, token] of Object.entries(viewers)) {
      if (readers.includes(viewer)) await ask(listEventComments, { params, token });
      else await refused(listEventComments, "not_found", { params, token });
    }
  });

  test("of a post that is not there is nobody", async () => {
    await refused(listEventComments, "not_found", { params: { event_id: NOBODY }, token: viewers.owner });
  });
});

describe("the list", () => {
  test("has the newest thread first, page by page, each comment once", async () => {
    const event_id = await freshEvent();
    const first = await say(event_id, "一");
    const second = await say(event_id, "二");
    await say(event_id, "一への返信", { parent_comment_id: first });
    await say(event_id, "三");
    await say(event_id, "二への返信", { parent_comment_id: second });
    await say(event_id, "一への二つめの返信", { parent_comment_id: first });
    const all = ["三", "二", "二への返信", "一", "一への返信", "一への二つめの返信"];
    expect(await messagesOf(event_id)).toEqual(all);
    const pages = await Promise.all(
      [1, 2, 3].map((page_number) => messagesOf(event_id, { page_number, page_size: 2 })),
    );
    expect(pages).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
    const query = { page_number: 3, page_size: 2 };
    expect(await ask(listEventComments, { params: { event_id }, query })).toMatchObject({ ...query, has_next: false });
    const many = { params: { event_id }, query: { page_size: 100 } };
    expect(await ask(listEventComments, many), "a visitor").toMatchObject({ page_size: 25 });
    expect(await ask(listEventComments, { ...many, token: await signIn("fan_hana") })).toMatchObject({
      page_size: 100,
    });
  });

  test("leaves out what is hidden, and with a comment the replies to it", async () => {
    const event_id = await freshEvent();
    const hidden = await say(event_id, "見えない", { hidden_at: "2026-02-01T00:00:00.000Z" });
    await say(event_id, "見えない人への返信", { parent_comment_id: hidden });
    const shown = await say(event_id, "見える");
    await say(event_id, "見えない返信", { parent_comment_id: shown, hidden_at: "2026-02-01T00:00:00.000Z" });
    expect(await messagesOf(event_id)).toEqual(["見える"]);
  });

  test("says what was paid", async () => {
    const event_id = await freshEvent();
    await say(event_id, "応援しています", { amount: 550 });
    const { comments } = await ask(listEventComments, { params: { event_id } });
    expect(comments).toMatchObject([{ paid: true, amount: 550, currency: "jpy" }]);
  });
});

test("a reply stands under the same post as its comment, and is not replied to itself", async () => {
  const [here, there] = [await freshEvent(), await freshEvent()];
  const comment = await say(here, "ここ");
  await expect(say(there, "よそ", { parent_comment_id: comment })).rejects.toThrow(/FOREIGN KEY/);
  const reply = await say(here, "返信", { parent_comment_id: comment });
  await expect(say(here, "返信への返信", { parent_comment_id: reply })).rejects.toThrow(/a reply cannot be replied to/);
});

describe("a post's page", () => {
  const pageOf = async (key: string, search = "") =>
    (await browser()).get(`/natsume/events/${await eventId(key)}${search}`);

  test("shows what was said to a visitor, with a link to who said it", async () => {
    const { text } = await pageOf("natsume_harbour");
    expect(text).toContain("コメント</h2>");
    expect(text).toContain("塗り残した白がいちばんまぶしいです");
    expect(text).toMatch(/<a href="\/yamato"[^>]*>大和 岳<\/a>/);
  });

  test("says nothing of comments where there is none, and nothing of those under a locked post", async () => {
    for (const key of ["natsume_hello", "natsume_wallpaper"]) {
      const { status, text } = await pageOf(key);
      expect(status).toBe(200);
      expect(text).not.toContain("コメント");
      expect(text).not.toContain("ロッカーの内側とスマホ");
    }
  });

  test("has further pages of them, and none past the end", async () => {
    const event_id = await freshEvent();
    for (let said = 1; said <= 21; said++) await say(event_id, `その${said}。`);
    const someone = await browser();
    const { link_id } = (await ask(listEventComments, { params: { event_id } })).comments[0]?.user ?? {};
    const first = await someone.get(`/${link_id}/events/${event_id}`);
    expect(first.status).toBe(301);
    const path = first.location ?? "";
    expect((await someone.get(path)).text).toContain(`href="${path}?page=2"`);
    expect((await someone.get(`${path}?page=2`)).text).toContain("その1。");
    expect((await someone.get(`/${link_id}/events/${event_id}?page=2`)).location).toBe(`${path}?page=2`);
    expect((await someone.get(`${path}?page=3`)).status).toBe(404);
    expect((await pageOf("natsume_wallpaper", "?page=2")).status).toBe(404);
  });
});
