import { beforeAll, describe, expect, test } from "vitest";
import { comments as demoComments } from "../../scripts/demo/comments.ts";
import { posts } from "../../scripts/demo/posts.ts";
import { createBlock } from "../../workers/contract/blocks.ts";
import {
  createEventComment,
  deleteEventComment,
  listEventComments,
  listReceivedComments,
} from "../../workers/contract/comments.ts";
import { listOwnEvents } from "../../workers/contract/events.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import { follow } from "../../workers/contract/relationships.ts";
import { reportEventComment } from "../../workers/contract/reports.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { browser, database, freshMember, type Member, openBrowserAs, signIn, tick } from "../support/network.ts";
import { ask, NOBODY, refused, send } from "./support/calls.ts";
import { insertPost } from "./support/posts.ts";

/** Returns the id of a post of the demo data. */
async function eventId(key: string): Promise<string> {
  const post = posts.find((each) => each.key === key);
  const { events } = await ask(listOwnEvents, { token: await signIn(post?.author ?? ""), query: { page_size: 100 } });
  return events.find(({ title }) => title === post?.title)?.event_id ?? "";
}

/** Adds a post without comments, by a new author. */
const freshEvent = async () => insertPost(await freshMember("書き手"));

const people = (...names: string[]) =>
  Promise.all(names.map((name) => freshMember(name))) as Promise<Member[] & [Member, Member, Member]>;

const countOf = async (event_id: string) =>
  (await database())
    .prepare("SELECT comments_count FROM event_counts WHERE event_id = ?")
    .bind(event_id)
    .first("comments_count");

interface Said {
  amount?: number;
  parent_comment_id?: string | null;
  hidden_at?: string | null;
}

/** The author of comments that no call can create: paid, hidden or old ones. */
let speaker: Member;
beforeAll(async () => {
  speaker = await freshMember("話し手");
});

let clock_ms = Date.UTC(2026, 0, 1);
/** Adds a comment a second after the one before. Returns its id. */
async function say(event_id: string, message: string, said: Said = {}): Promise<string> {
  clock_ms += 1000;
  const comment_id = newId(clock_ms);
  const { amount = 0, parent_comment_id = null, hidden_at = null } = said;
  await (await database())
    .prepare(
      `INSERT INTO event_comments
        (comment_id, event_id, user_id, message, amount, parent_comment_id, created_at, hidden_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .bind(
      comment_id,
      event_id,
      speaker.user.user_id,
      message,
      amount,
      parent_comment_id,
      new Date(clock_ms).toISOString(),
      hidden_at,
    )
    .run();
  return comment_id;
}

/** Writes a comment or a reply through the API. Returns its id. */
async function write(event_id: string, by: Member, message: string, parent_comment_id: string | null = null) {
  const body = { message, parent_comment_id };
  return (await ask(createEventComment, { token: by.token, params: { event_id }, body })).comment;
}

const seenBy = async (event_id: string, reader: Member | null) =>
  (await ask(listEventComments, { params: { event_id }, token: reader?.token })).comments;

const messagesOf = async (event_id: string, query: Record<string, number> = {}) =>
  (await ask(listEventComments, { params: { event_id }, query })).comments.map(({ message }) => message);

test("the demo's comments are under their posts, each reply below its comment", async () => {
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

describe("access to the comments", () => {
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
  ])("of %s equals access to the post", async (key, readers) => {
    const params = { event_id: await eventId(key) };
    for (const [viewer, token] of Object.entries(viewers)) {
      if (readers.includes(viewer)) await ask(listEventComments, { params, token });
      else await refused(listEventComments, "not_found", { params, token });
    }
  });

  test("of a missing post is refused", async () => {
    await refused(listEventComments, "not_found", { params: { event_id: NOBODY }, token: viewers.owner });
  });
});

describe("the list", () => {
  test("shows the newest thread first, page by page, each comment once", async () => {
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

  test("leaves out hidden comments and their replies", async () => {
    const event_id = await freshEvent();
    const hidden = await say(event_id, "見えない", { hidden_at: "2026-02-01T00:00:00.000Z" });
    await say(event_id, "見えない人への返信", { parent_comment_id: hidden });
    const shown = await say(event_id, "見える");
    await say(event_id, "見えない返信", { parent_comment_id: shown, hidden_at: "2026-02-01T00:00:00.000Z" });
    expect(await messagesOf(event_id)).toEqual(["見える"]);
  });

  test("shows the price of paid comments", async () => {
    const event_id = await freshEvent();
    await say(event_id, "応援しています", { amount: 550 });
    const { comments } = await ask(listEventComments, { params: { event_id } });
    expect(comments).toMatchObject([{ paid: true, amount: 550, currency: "jpy" }]);
  });
});

test("a reply belongs to the post of its comment, and cannot be replied to as a comment", async () => {
  const [here, there] = [await freshEvent(), await freshEvent()];
  const comment = await say(here, "ここ");
  await expect(say(there, "よそ", { parent_comment_id: comment })).rejects.toThrow(/FOREIGN KEY/);
  const reply = await say(here, "返信", { parent_comment_id: comment });
  await expect(say(here, "返信への返信", { parent_comment_id: reply })).rejects.toThrow(/a reply cannot be replied to/);
});

describe("writing", () => {
  test("shows the comment to everybody exactly as answered, and lets its writer and the post's owner delete it", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const event_id = await insertPost(owner);
    const comment = await write(event_id, fan, "  好きです。\r\n次も。 ");
    expect(comment).toMatchObject({
      message: "好きです。\n次も。",
      paid: false,
      amount: 0,
      parent_comment_id: null,
      likes_count: 0,
      is_liked: false,
      can_delete: true,
      user: { user_id: fan.user.user_id },
    });
    expect(await seenBy(event_id, fan)).toEqual([comment]);
    expect(await seenBy(event_id, owner)).toEqual([comment]);
    expect(await seenBy(event_id, null)).toEqual([{ ...comment, can_delete: false }]);
    expect(await seenBy(event_id, await freshMember("よその人"))).toEqual([{ ...comment, can_delete: false }]);
  });

  test("requires access to the post", async () => {
    const [owner, fan, stranger] = await people("作家", "ファン", "よその人");
    await ask(follow, { token: fan.token, body: { following_id: owner.user.user_id } });
    const body = { message: "読みました" };
    const for_fans = { params: { event_id: await insertPost(owner, { publish_target_type: "fans" }) }, body };
    await ask(createEventComment, { ...for_fans, token: fan.token });
    await refused(createEventComment, "not_found", { ...for_fans, token: stranger.token });
    const hidden = { params: { event_id: await insertPost(owner, { status: "private" }) }, body };
    for (const { token } of [fan, stranger]) await refused(createEventComment, "not_found", { ...hidden, token });
    await refused(createEventComment, "not_found", { params: { event_id: NOBODY }, body, token: fan.token });
    await refused(createEventComment, "unauthenticated", for_fans);
    await refused(createEventComment, "registration_required", { ...for_fans, token: await signIn("fan_new") });
  });

  test.each([
    ["none", "comments_not_accepted"],
    ["paid_only", "paid_comments_only"],
  ] as const)("is refused where the post takes %s, except for its owner's replies", async (comment_filter, code) => {
    const [owner, fan] = await people("作家", "ファン");
    const event_id = await insertPost(owner, { comment_filter });
    const said = await say(event_id, "お金をはらって", { amount: 500 });
    const body = { message: "いいですか" };
    await refused(createEventComment, code, { token: fan.token, params: { event_id }, body });
    const answer = { ...body, parent_comment_id: said };
    await refused(createEventComment, code, { token: fan.token, params: { event_id }, body: answer });
    await refused(createEventComment, code, { token: owner.token, params: { event_id }, body });
    expect((await write(event_id, owner, "ありがとう", said)).parent_comment_id).toBe(said);
  });

  test("puts a reply to a reply under the same comment", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const event_id = await insertPost(owner);
    const comment = await write(event_id, fan, "一");
    const reply = await write(event_id, owner, "二", comment.comment_id);
    const again = await write(event_id, fan, "三", reply.comment_id);
    expect(again.parent_comment_id).toBe(comment.comment_id);
    expect(await messagesOf(event_id)).toEqual(["一", "二", "三"]);
  });

  test("cannot reply to a comment that is not visible there", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const [event_id, elsewhere] = [await insertPost(owner), await insertPost(owner)];
    const hidden = await say(event_id, "見えない", { hidden_at: "2026-02-01T00:00:00.000Z" });
    const under_hidden = await say(event_id, "見えない返信", { parent_comment_id: hidden });
    const deleted = await write(event_id, fan, "消した");
    await write(event_id, owner, "残る返信", deleted.comment_id);
    const params = { event_id, comment_id: deleted.comment_id };
    await ask(deleteEventComment, { token: fan.token, params });
    const other = await write(elsewhere, fan, "よそ");
    for (const parent_comment_id of [hidden, under_hidden, deleted.comment_id, other.comment_id, NOBODY]) {
      const body = { message: "返信", parent_comment_id };
      await refused(createEventComment, "not_found", { token: fan.token, params: { event_id }, body });
    }
  });

  test("is refused between members of whom one blocked the other, under the post and under the comment", async () => {
    const [owner, fan, other] = await people("作家", "ファン", "ほかの人");
    const event_id = await insertPost(owner);
    const comment = await write(event_id, other, "どうも");
    const call = { token: fan.token, params: { event_id } };
    await ask(createBlock, { token: other.token, body: { blocking_id: fan.user.user_id } });
    await refused(createEventComment, "blocked", {
      ...call,
      body: { message: "返信", parent_comment_id: comment.comment_id },
    });
    await write(event_id, fan, "投稿には書ける");
    await ask(createBlock, { token: fan.token, body: { blocking_id: owner.user.user_id } });
    await refused(createEventComment, "blocked", { ...call, body: { message: "もう書けない" } });
  });

  test.each([
    ["nothing", ""],
    ["1,001 letters", "あ".repeat(1001)],
    ["16,385 bytes", `abc${"\u0316".repeat(8191)}`],
  ])("is refused with %s", async (_, message) => {
    const fan = await freshMember("ファン");
    const params = { event_id: await freshEvent() };
    const { errors } = await refused(createEventComment, "validation_failed", {
      token: fan.token,
      params,
      body: { message },
    });
    expect(errors).toHaveProperty("message");
  });

  test("is limited to thirty in ten minutes, including deleted ones, and then says when to retry", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const event_id = await insertPost(owner);
    const first = await write(event_id, fan, "消す");
    await ask(deleteEventComment, { token: fan.token, params: { event_id, comment_id: first.comment_id } });
    for (let said = 2; said <= 30; said++) await write(event_id, fan, `その${said}`);
    const reply = await send(createEventComment, { token: fan.token, params: { event_id }, body: { message: "もう" } });
    expect(reply).toMatchObject({ status: 429, json: { code: "too_many_requests" } });
    const seconds = Number(reply.headers.get("retry-after"));
    expect(seconds > 0 && seconds <= 600, String(seconds)).toBe(true);
    await write(event_id, owner, "ほかの人は書ける");
    await (await database())
      .prepare("UPDATE limited_acts SET acted_at = ? WHERE scope = ?")
      .bind(new Date(Date.now() - 600_001).toISOString(), `comment ${fan.user.user_id}`)
      .run();
    await write(event_id, fan, "また書ける");
  });

  test("happens once under one key", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const event_id = await insertPost(owner);
    const call = { token: fan.token, params: { event_id }, key: crypto.randomUUID(), body: { message: "一度だけ" } };
    const [one, other] = await Promise.all([ask(createEventComment, call), ask(createEventComment, call)]);
    expect(one).toEqual(other);
    expect(await messagesOf(event_id)).toEqual(["一度だけ"]);
  });
});

describe("deleting", () => {
  test("is allowed to the writer and the post's owner; for others the comment does not exist", async () => {
    const [owner, fan, other] = await people("作家", "ファン", "ほかの人");
    const [event_id, elsewhere] = [await insertPost(owner), await insertPost(owner)];
    const mine = await write(event_id, fan, "わたしの");
    const theirs = await write(event_id, fan, "これも");
    const params = { event_id, comment_id: mine.comment_id };
    await refused(deleteEventComment, "not_found", { token: other.token, params });
    await refused(deleteEventComment, "not_found", {
      token: fan.token,
      params: { event_id: elsewhere, comment_id: mine.comment_id },
    });
    await refused(deleteEventComment, "unauthenticated", { params });
    await ask(deleteEventComment, { token: fan.token, params });
    await refused(deleteEventComment, "not_found", { token: fan.token, params });
    await ask(deleteEventComment, { token: owner.token, params: { event_id, comment_id: theirs.comment_id } });
    expect(await messagesOf(event_id)).toEqual([]);
  });

  test("keeps the place of a comment with replies, without its words anywhere", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const event_id = await insertPost(owner);
    const comment = await write(event_id, fan, "取り消したい言葉");
    const reply = await write(event_id, owner, "返信", comment.comment_id);
    const of = ({ comment_id }: { comment_id: string }) => ({ event_id, comment_id });
    await ask(deleteEventComment, { token: fan.token, params: of(comment) });
    expect(await seenBy(event_id, fan)).toMatchObject([
      { comment_id: comment.comment_id, message: "", is_deleted: true, can_delete: false, likes_count: 0 },
      { comment_id: reply.comment_id, message: "返信" },
    ]);
    const { results } = await (await database())
      .prepare("SELECT * FROM event_comments WHERE event_id = ?")
      .bind(event_id)
      .all();
    expect(JSON.stringify(results)).not.toContain("取り消したい言葉");
    expect(await countOf(event_id)).toBe(1);
    await ask(deleteEventComment, { token: owner.token, params: of(reply) });
    expect(await seenBy(event_id, fan)).toEqual([]);
    expect(await countOf(event_id)).toBe(0);
  });

  test("of a paid comment is refused to its sender; the owner hides it with its replies", async () => {
    const owner = await freshMember("作家");
    const event_id = await insertPost(owner);
    const paid = await say(event_id, "応援", { amount: 500 });
    await write(event_id, owner, "ありがとう", paid);
    const params = { event_id, comment_id: paid };
    await refused(deleteEventComment, "paid_comment_not_deletable", { token: speaker.token, params });
    await ask(deleteEventComment, { token: owner.token, params });
    expect(await messagesOf(event_id)).toEqual([]);
    expect(await countOf(event_id)).toBe(0);
    const kept = (await database()).prepare("SELECT message, amount FROM event_comments WHERE comment_id = ?");
    expect(await kept.bind(paid).first()).toEqual({ message: "応援", amount: 500 });
  });
});

test("comments of blocked members, reported comments and their replies are hidden", async () => {
  const [owner, reader, pest] = await people("作家", "読者", "いやな人");
  const event_id = await insertPost(owner);
  const pests = await write(event_id, pest, "いやな言葉");
  await write(event_id, owner, "いやな言葉への返信", pests.comment_id);
  const fine = await write(event_id, owner, "よい言葉");
  await write(event_id, pest, "よい言葉へのいやな返信", fine.comment_id);
  const reported = await write(event_id, owner, "通報される言葉");
  await write(event_id, reader, "その返信", reported.comment_id);
  await ask(createBlock, { token: reader.token, body: { blocking_id: pest.user.user_id } });
  const params = { event_id, comment_id: reported.comment_id };
  await ask(reportEventComment, { token: reader.token, params, body: { reason: "others" } });
  expect((await seenBy(event_id, reader)).map(({ message }) => message)).toEqual(["よい言葉"]);
  await ask(createBlock, { token: owner.token, body: { blocking_id: pest.user.user_id } });
  // The post's owner sees what others see, to be able to delete it.
  for (const other of [owner, pest, null]) expect(await seenBy(event_id, other)).toHaveLength(6);
});

describe("the comments received", () => {
  const received = async (owner: Member, query: Record<string, string | number | boolean> = {}) =>
    (await ask(listReceivedComments, { token: owner.token, query })).comments;
  const words = (comments: { message: string | null }[]) => comments.map(({ message }) => message);

  test("are others' comments on the caller's own posts, without replies, each with its post", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const event_id = await insertPost(owner, { title: "海の絵" });
    const comment = await write(event_id, fan, "ファンから");
    await write(event_id, owner, "返信", comment.comment_id);
    await write(event_id, fan, "ファンの返信", comment.comment_id);
    await write(event_id, owner, "自分から");
    expect(await received(owner)).toEqual([{ ...comment, event: { event_id, title: "海の絵" }, is_replied: true }]);
    expect(await received(fan)).toEqual([]);
    await refused(listReceivedComments, "unauthenticated");
    await refused(listReceivedComments, "registration_required", { token: await signIn("fan_new") });
  });

  test("are filtered by payment and reply, and sorted in three orders", async () => {
    const owner = await freshMember("作家");
    const event_id = await insertPost(owner);
    const free = await say(event_id, "一、無料");
    await say(event_id, "二、三百円", { amount: 300 });
    const paid = await say(event_id, "三、五百円", { amount: 500 });
    const reply = await write(event_id, owner, "お返事", paid);
    await write(event_id, owner, "お返事", free);
    const all = ["三、五百円", "二、三百円", "一、無料"];
    expect(words(await received(owner))).toEqual(all);
    expect(words(await received(owner, { sort_by: "oldest" }))).toEqual(all.toReversed());
    expect(words(await received(owner, { sort_by: "amount" }))).toEqual(all);
    expect(words(await received(owner, { sort_by: "amount", paid: true }))).toEqual(all.slice(0, 2));
    expect(words(await received(owner, { paid: false }))).toEqual(all.slice(2));
    expect(words(await received(owner, { is_not_replied: true }))).toEqual(["二、三百円"]);
    expect(words(await received(owner, { is_not_replied: false, paid: true }))).toEqual(["三、五百円"]);
    await ask(deleteEventComment, { token: owner.token, params: { event_id, comment_id: reply.comment_id } });
    expect(words(await received(owner, { is_not_replied: true }))).toEqual(all.slice(0, 2));
    const page = { page_size: 2, page_number: 2 };
    expect(words(await received(owner, page))).toEqual(all.slice(2));
  });

  test("have comments of blocked members, and leave out reported, hidden or deleted ones", async () => {
    const [owner, fan, pest] = await people("作家", "ファン", "いやな人");
    const event_id = await insertPost(owner);
    await write(event_id, pest, "いやな言葉");
    const reported = await write(event_id, fan, "通報する");
    const deleted = await write(event_id, fan, "消す");
    await write(event_id, owner, "残る返信", deleted.comment_id);
    const hidden = await say(event_id, "隠す", { amount: 500 });
    expect(await received(owner)).toHaveLength(4);
    await ask(createBlock, { token: owner.token, body: { blocking_id: pest.user.user_id } });
    const of = (comment_id: string) => ({ token: owner.token, params: { event_id, comment_id } });
    await ask(reportEventComment, { ...of(reported.comment_id), body: { reason: "slander" } });
    await ask(deleteEventComment, of(deleted.comment_id));
    await ask(deleteEventComment, of(hidden));
    expect(words(await received(owner))).toEqual(["いやな言葉"]);
  });
});

describe("the notification of a comment", () => {
  const news = async (member: Member) => {
    await tick();
    return (await ask(listNotifications, { token: member.token })).notifications;
  };

  test("goes to the post's owner, and for a reply to its comment's writer, each once", async () => {
    const [owner, fan, other] = await people("作家", "ファン", "ほかの人");
    const event_id = await insertPost(owner, { title: "海の絵" });
    const comment = await write(event_id, fan, "どうも");
    const pathOf = ({ comment_id }: { comment_id: string }) =>
      `/${owner.user.link_id}/events/${event_id}/comments/${comment_id}`;
    expect(await news(owner)).toMatchObject([
      { type: "new_event_comment", message: "ファンさんが「海の絵」にコメントしました。", path: pathOf(comment) },
    ]);
    const answer = await write(event_id, owner, "ありがとう", comment.comment_id);
    expect(await news(fan)).toMatchObject([
      {
        type: "get_reply_comment",
        actor: { user_id: owner.user.user_id },
        path: pathOf(answer),
        excerpt: "ありがとう",
      },
    ]);
    await write(event_id, other, "わたしも", answer.comment_id);
    expect(await news(owner)).toMatchObject([
      { type: "get_reply_comment", message: "ほかの人さんが「海の絵」であなたのコメントに返信しました。" },
      { type: "new_event_comment" },
    ]);
    await write(event_id, other, "ファンにも", comment.comment_id);
    expect((await news(owner)).map(({ type }) => type)).toEqual([
      "new_event_comment",
      "get_reply_comment",
      "new_event_comment",
    ]);
    expect(await news(fan)).toHaveLength(2);
    expect(await news(other)).toEqual([]);
  });

  test("goes to nobody for a reply under a withdrawn post, whose title is private again", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const event_id = await insertPost(owner);
    const comment = await write(event_id, fan, "どうも");
    await (await database())
      .prepare("UPDATE events SET status = 'private', title = '言えない題' WHERE event_id = ?")
      .bind(event_id)
      .run();
    await write(event_id, owner, "ありがとう", comment.comment_id);
    expect(await news(fan)).toEqual([]);
  });

  test("goes to nobody for their own words, or for those of members they blocked meanwhile", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const event_id = await insertPost(owner);
    const own = await write(event_id, owner, "ひとりごと");
    await write(event_id, owner, "つづき", own.comment_id);
    expect(await news(owner)).toEqual([]);
    const payload = {
      comment_id: newId(Date.now()),
      writer_user_id: fan.user.user_id,
      event_id,
      event_user_id: owner.user.user_id,
      event_link_id: owner.user.link_id,
      amount: 0,
      answered_user_id: null,
    };
    await ask(createBlock, { token: owner.token, body: { blocking_id: fan.user.user_id } });
    await (await database())
      .prepare("INSERT INTO outbox (outbox_id, kind, payload, created_at) VALUES (?, 'event_commented', ?, ?)")
      .bind(newId(Date.now()), JSON.stringify(payload), new Date().toISOString())
      .run();
    expect(await news(owner)).toEqual([]);
  });
});

describe("a post's page", () => {
  const pageOf = async (key: string, search = "") =>
    (await browser()).get(`/natsume/events/${await eventId(key)}${search}`);

  test("shows comments to a visitor, with a link to the writer", async () => {
    const { text } = await pageOf("natsume_harbour");
    expect(text).toMatch(/<h2 id="comments-title"[^>]*>コメント/);
    expect(text).toContain("塗り残した白がいちばんまぶしいです");
    expect(text).toMatch(/<a href="\/yamato"[^>]*><bdi>大和 岳<\/bdi><\/a>/);
  });

  test("invites the first comment, and hides comments of a locked post", async () => {
    const uncommented = await pageOf("natsume_hello");
    expect(uncommented.status).toBe(200);
    expect(uncommented.text).toContain("まだコメントはありません。");
    const locked = await pageOf("natsume_wallpaper");
    expect(locked.status).toBe(200);
    expect(locked.text).not.toContain("コメント");
    expect(locked.text).not.toContain("ロッカーの内側とスマホ");
  });

  test("has further pages of comments, and none past the end", async () => {
    const event_id = await freshEvent();
    for (let said = 1; said <= 21; said++) await say(event_id, `その${said}。`);
    const someone = await browser();
    const { link_id } = (await ask(listEventComments, { params: { event_id } })).comments[0]?.user ?? {};
    const first = await someone.get(`/${link_id}/events/${event_id}`);
    expect(first.status).toBe(301);
    const path = first.location ?? "";
    expect((await someone.get(path)).text).toContain(`href="${path}?page=2#comments"`);
    expect((await someone.get(`${path}?page=2`)).text).toContain("その1。");
    expect((await someone.get(`/${link_id}/events/${event_id}?page=2`)).location).toBe(`${path}?page=2`);
    expect((await someone.get(`${path}?page=4`)).status).toBe(404);
    const member = await openBrowserAs("fan_taro");
    expect((await member.get(`${path}?page=4`)).status).toBe(404);
    // The member may have deleted the last comment of the third page.
    expect((await member.get(`${path}?page=3`)).location).toBe(`${path}?page=2#comments`);
  });

  test("has one page without comments for those who may not read the post", async () => {
    const { status, location } = await pageOf("natsume_wallpaper", "?page=25");
    expect([status, location]).toEqual([302, `/natsume/events/${await eventId("natsume_wallpaper")}`]);
  });
});
