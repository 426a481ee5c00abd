import { env } from "cloudflare:workers";
import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { noMails } from "../../scripts/no-mails.ts";
import { createBlock, deleteBlock } from "../../workers/api/blocks/commands.ts";
import { domains, registry } from "../../workers/api/domains.ts";
import { broadcastPost } from "../../workers/api/events/reactions.ts";
import { openGateway } from "../../workers/api/gateway/client.ts";
import { exportPage } from "../../workers/api/leaving/queries.ts";
import { likeEvent, likeEventComment } from "../../workers/api/likes/commands.ts";
import { broadcastClosing } from "../../workers/api/memberships/reactions.ts";
import {
  openAllNotifications,
  openNotification,
  readMailSettings,
  updateMailSettings,
  updateSettings,
} from "../../workers/api/notifications/commands.ts";
import { findSettings, listNotifications } from "../../workers/api/notifications/queries.ts";
import { fillGaps, mailToken } from "../../workers/api/notifications/rules.ts";
import { sendFreeOfuse } from "../../workers/api/ofuses/commands.ts";
import { follow } from "../../workers/api/relationships/commands.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { continuationStatement, dispatchOutbox, type OutboxEvent } from "../../workers/api/storage/outbox.ts";
import { purgeExpired } from "../../workers/api/storage/retention.ts";
import type { HandedMail } from "../../workers/contract/mails.ts";
import { type NotificationTopic, notificationTopic } from "../../workers/contract/notifications.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { runBatch } from "../../workers/storage/commit.ts";
import { addUser, contextOf, d1, dispatcherOf, letterTo, NOW_MS } from "./support/context.ts";

/** Bundles of notifications, and the topics that a member chooses. */

const excerpts = Object.assign({}, ...domains.map((domain) => domain.excerpts));
const gateway = openGateway({ SITE_ORIGIN: "https://ofuse.example" });
const ALL = notificationTopic.options;
const without = (...topics: NotificationTopic[]) => ALL.filter((topic) => !topics.includes(topic));

let round = 0;
let owner: string;
let now_ms = NOW_MS;
const addFan = (name: string) => addUser(`${name}_${round}`);
beforeEach(async () => {
  round++;
  now_ms = NOW_MS + round * 1000;
  await d1.prepare("UPDATE outbox SET processed_at = '' WHERE processed_at IS NULL").run();
  owner = await addUser(`told_${round}`, { is_creator: 1 });
  await d1
    .prepare("UPDATE users SET email = ?, accepts_free_ofuses = 1 WHERE user_id = ?")
    .bind(`told${round}@example.jp`, owner)
    .run();
});

async function addPost(): Promise<string> {
  const event_id = newId(now_ms);
  const at = new Date(NOW_MS - 1000).toISOString();
  await d1
    .prepare(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
       VALUES (?, ?, 'blog', '海の絵', 'x', 'x', 'published', 'public', ?, ?)`,
    )
    .bind(event_id, owner, at, at)
    .run();
  return event_id;
}

/** Writes the notifications, and leaves their mails in the outbox. */
const dispatchOnce = () => dispatchOutbox(dispatcherOf({ gateway, now_ms }));

/** Empties the outbox a second later than before, and returns the mails. */
async function settle(): Promise<HandedMail[]> {
  now_ms += 1000;
  const handed: HandedMail[] = [];
  const mails = { ...noMails, handOver: async (given: readonly HandedMail[]) => void handed.push(...given) };
  // The first round writes the notifications, the second their mails.
  for (const _ of [1, 2]) await dispatchOutbox(dispatcherOf({ gateway, mails, now_ms }));
  return handed;
}
const at = (user_id: string) => contextOf(user_id, { now_ms });
const list = async (user_id = owner) =>
  listNotifications(at(user_id), excerpts, user_id, { page_number: 1, page_size: 20 });
const sentences = async (user_id = owner) => (await list(user_id)).notifications.map(({ message }) => message);
const like = async (fan: string, event_id: string, is_liked = true) => {
  await likeEvent(at(fan), event_id, { is_liked });
  return settle();
};
const write = (fan: string) => sendFreeOfuse(at(fan), letterTo(owner));

describe("likes of one post", () => {
  test("are one row that names the newest two, moves to the top, and leads to the post", async () => {
    const event_id = await addPost();
    const fans = await Promise.all(["a", "b", "c", "d"].map(addFan));
    await like(fans[0] ?? "", event_id);
    await write(fans[1] ?? "");
    await settle();
    expect(await sentences()).toEqual([
      `b_${round}さんからofuseが届きました。`,
      `a_${round}さんが「海の絵」に「いいね」しました。`,
    ]);
    for (const fan of fans.slice(1)) await like(fan, event_id);
    const { notifications, has_unopened } = await list();
    expect(notifications).toMatchObject([
      {
        type: "custom",
        message: `d_${round}さん、c_${round}さん、ほか2人が「海の絵」に「いいね」しました。`,
        path: `/told_${round}/events/${event_id}`,
        actor: { user_id: fans[3] },
        actors: [{ user_id: fans[3] }, { user_id: fans[2] }],
        is_opened: false,
      },
      { type: "get_free_ofuse" },
    ]);
    expect(has_unopened).toBe(true);
  });

  test("begin a new row after the first was opened, and tell nobody of a like that is repeated", async () => {
    const event_id = await addPost();
    const [first, second] = await Promise.all([addFan("one"), addFan("two")]);
    await like(first, event_id);
    const [row] = (await list()).notifications;
    await openNotification(at(owner), excerpts, row?.notification_id ?? "");
    await like(first, event_id, false);
    await like(first, event_id);
    expect((await list()).has_unopened).toBe(false);
    await like(second, event_id);
    expect(await sentences()).toEqual([
      `two_${round}さんが「海の絵」に「いいね」しました。`,
      `one_${round}さんが「海の絵」に「いいね」しました。`,
    ]);
    await openAllNotifications(at(owner));
    expect((await list()).has_unopened).toBe(false);
  });

  test("are written once, however often their row of the outbox is processed", async () => {
    const event_id = await addPost();
    await like(await addFan("again"), event_id);
    await openAllNotifications(at(owner));
    await d1.prepare("UPDATE outbox SET processed_at = NULL WHERE kind = 'liked'").run();
    await settle();
    expect(await list()).toMatchObject({ notifications: [{ is_opened: true }], has_unopened: false });
  });

  test("count a hundred people at most, and nobody for one's own like or a guest's", async () => {
    const event_id = await addPost();
    await like(owner, event_id);
    await likeEvent(contextOf(null), event_id, { is_liked: true });
    await settle();
    expect(await sentences()).toEqual([]);
    await like(await addFan("many"), event_id);
    await d1.batch([
      d1.prepare(`INSERT INTO users (user_id, identity_id, link_id, name, created_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
        SELECT 'liker' || i, 'liker' || i, 'liker' || i, 'ひと' || i, '2026-01-01T00:00:00.000Z' FROM n`),
      d1
        .prepare(`INSERT INTO notification_actors SELECT 'liked ' || users.user_id, notification_id, users.user_id, '2026-01-01T00:00:00.000Z'
        FROM users JOIN notifications ON notifications.user_id = ? WHERE users.user_id LIKE 'liker%'`)
        .bind(owner),
    ]);
    expect((await sentences())[0]).toMatch(/、ほか100人以上が「海の絵」に「いいね」しました。$/);
  });

  test("of a comment tell its writer", async () => {
    const event_id = await addPost();
    const [writer, fan] = await Promise.all([addFan("writer"), addFan("fan")]);
    const comment_id = newId(now_ms);
    await d1
      .prepare(
        "INSERT INTO event_comments (comment_id, event_id, user_id, message, created_at) VALUES (?, ?, ?, 'x', '')",
      )
      .bind(comment_id, event_id, writer)
      .run();
    await likeEventComment(at(fan), { event_id, comment_id }, { is_liked: true });
    await settle();
    const path = `/told_${round}/events/${event_id}/comments/${comment_id}`;
    expect((await list(writer)).notifications).toMatchObject([
      { message: `fan_${round}さんが「海の絵」のあなたのコメントに「いいね」しました。`, path },
    ]);
    expect(await sentences()).toEqual([]);
  });
});

test("follows are one row, which leads to the follower or to all followers", async () => {
  const [first, second] = await Promise.all([addFan("first"), addFan("second")]);
  await follow(at(first), owner);
  await settle();
  expect((await list()).notifications).toMatchObject([{ path: `/first_${round}` }]);
  await follow(at(second), owner);
  await settle();
  expect((await list()).notifications).toMatchObject([
    { message: `second_${round}さん、first_${round}さんがあなたをフォローしました。`, path: "/my/members" },
  ]);
});

describe("an event that is dispatched late", () => {
  test("has its own time and place, and is unread though its reader has read all that is newer", async () => {
    const [early, late] = await Promise.all([addFan("early"), addFan("late")]);
    await write(early);
    const written_at = new Date(now_ms).toISOString();
    await d1.prepare("UPDATE outbox SET attempts = 20 WHERE processed_at IS NULL").run();
    now_ms += 1000;
    await write(late);
    await settle();
    await openAllNotifications(at(owner));
    await d1.prepare("UPDATE outbox SET attempts = 1 WHERE processed_at IS NULL").run();
    await settle();
    const { notifications, has_unopened } = await list();
    expect(notifications).toMatchObject([
      { actor: { user_id: late }, is_opened: true },
      { actor: { user_id: early }, is_opened: false, created_at: written_at },
    ]);
    expect(has_unopened).toBe(true);
  });

  test("gives its bundle no older time, and names its person after the newer ones", async () => {
    const event_id = await addPost();
    const [first, second] = await Promise.all([addFan("first"), addFan("second")]);
    await likeEvent(at(first), event_id, { is_liked: true });
    await d1.prepare("UPDATE outbox SET attempts = 1 WHERE processed_at IS NULL").run();
    now_ms += 1000;
    const newest_at = new Date(now_ms).toISOString();
    await like(second, event_id);
    expect((await list()).notifications).toMatchObject([
      {
        message: `second_${round}さん、first_${round}さんが「海の絵」に「いいね」しました。`,
        created_at: newest_at,
      },
    ]);
  });

  test("of a broadcast has the same time for its last reader as for its first", async () => {
    const fans = Array.from({ length: 501 }, () => newId(now_ms));
    const [ids, now] = [JSON.stringify(fans), new Date(now_ms).toISOString()];
    await d1.batch([
      d1
        .prepare(
          "INSERT INTO users (user_id, identity_id, link_id, name, created_at) SELECT value, value, value, 'x', ? FROM json_each(?)",
        )
        .bind(now, ids),
      d1
        .prepare(
          "INSERT INTO relationships (follower_id, following_id, created_at) SELECT value, ?, ? FROM json_each(?)",
        )
        .bind(owner, now, ids),
    ]);
    const payload = { event_id: await addPost(), fan_out_id: newId(now_ms), after: null };
    await happen({ kind: "event_published", payload });
    const { results } = await d1
      .prepare("SELECT created_at, COUNT(*) AS readers FROM notifications WHERE event_id = ? GROUP BY created_at")
      .bind(payload.event_id)
      .all();
    expect(results).toEqual([{ created_at: now, readers: 501 }]);
  });
});

describe("a post without a title for its reader", () => {
  test.each<[string, string, string]>([
    [
      "reported",
      "あなたが通報した投稿",
      `INSERT OR IGNORE INTO reports (report_id, reporter_user_id, subject_type, subject_id, reason, created_at)
        SELECT event_id || user_id, user_id, 'event', event_id, 'slander', '2026-11-22' FROM notifications WHERE event_id = ?`,
    ],
    ["withdrawn", "非公開になった投稿", "UPDATE events SET status = 'private' WHERE event_id = ?"],
    ["deleted", "削除された投稿", "DELETE FROM events WHERE event_id = ?"],
  ])("is called so when it was %s, and no sentence says that its people did that", async (_, called, change) => {
    const event_id = await addPost();
    const reader = await addFan("reader");
    await follow(at(reader), owner);
    await happen({ kind: "event_published", payload: { event_id, fan_out_id: newId(now_ms), after: null } });
    const [comment, answer] = [newId(now_ms), newId(now_ms)];
    await d1.batch(
      [
        [comment, null, reader],
        [answer, comment, owner],
      ].map((row) =>
        d1
          .prepare(
            "INSERT INTO event_comments (comment_id, parent_comment_id, user_id, event_id, message, created_at) VALUES (?, ?, ?, ?, 'x', '')",
          )
          .bind(...row, event_id),
      ),
    );
    const answered = { comment_id: answer, amount: 0, writer_user_id: owner, answered_user_id: reader };
    const payload = { ...answered, event_id, event_user_id: owner, event_link_id: `told_${round}` };
    await happen({ kind: "event_commented", payload } as never);
    await likeEventComment(at(owner), { event_id, comment_id: comment }, { is_liked: true });
    await settle();
    const author = `told_${round}さん`;
    expect(await sentences(reader)).toEqual([
      `${author}が「海の絵」のあなたのコメントに「いいね」しました。`,
      `${author}が「海の絵」であなたのコメントに返信しました。`,
      `${author}が「海の絵」を投稿しました。`,
    ]);
    await d1.prepare(change).bind(event_id).run();
    const expected = [
      `${author}が、${called}のあなたのコメントに「いいね」しました。`,
      `${author}が、${called}であなたのコメントに返信しました。`,
      `${author}の投稿がありました（${called}）。`,
    ];
    expect(await sentences(reader)).toEqual(expected);
    const { items } = await exportPage(at(reader), domains, "notifications", undefined);
    expect(items.map(({ message }) => message).toReversed()).toEqual(expected);
  });
});

describe("a letter that its receiver may no longer open", () => {
  test.each([
    [
      "reported",
      "あなたが通報したofuse",
      (ofuse_id: string) =>
        d1
          .prepare(
            `INSERT INTO reports (report_id, reporter_user_id, subject_type, subject_id, reason, created_at)
              VALUES (?, ?, 'ofuse', ?, 'slander', '2026-11-22')`,
          )
          .bind(newId(now_ms), owner, ofuse_id),
    ],
    [
      "removed",
      "削除されたofuse",
      (ofuse_id: string) => d1.prepare("UPDATE ofuses SET removed_at = '2026-11-22' WHERE ofuse_id = ?").bind(ofuse_id),
    ],
  ])("is called so when it was %s, also in the export, and is not mailed any more", async (_, called, close) => {
    const fan = await addFan(`${called.length}_closed`);
    const { ofuse } = await write(fan);
    await dispatchOnce();
    await close(ofuse.ofuse_id).run();
    expect(await settle()).toEqual([]);
    const sentence = { message: `${called}についてのお知らせです。` };
    expect((await list()).notifications).toMatchObject([
      { ...sentence, path: "/my/box", excerpt: null, actor: null, actors: [] },
    ]);
    const { items } = await exportPage(at(owner), domains, "notifications", undefined);
    expect(items).toMatchObject([sentence]);
  });
});

describe("a block", () => {
  test("takes the blocked person's name out of the list, until it ends", async () => {
    const event_id = await addPost();
    const [kept, blocked] = await Promise.all([addFan("kept"), addFan("blocked")]);
    await like(kept, event_id);
    await like(blocked, event_id);
    await write(blocked);
    await settle();
    const before = await sentences();
    expect(before.join()).toContain(`blocked_${round}`);
    await createBlock(at(owner), blocked);
    expect(await list()).toMatchObject({
      notifications: [{ message: `kept_${round}さんが「海の絵」に「いいね」しました。` }],
    });
    await createBlock(at(owner), kept);
    expect(await list()).toMatchObject({ notifications: [], has_unopened: false });
    await Promise.all([deleteBlock(at(owner), blocked), deleteBlock(at(owner), kept)]);
    expect(await sentences()).toEqual(before);
  });

  test("keeps back the mail about what the blocked person did before", async () => {
    const blocked = await addFan("quick");
    await write(blocked);
    await dispatchOnce();
    await createBlock(at(owner), blocked);
    expect(await settle()).toEqual([]);
  });

  test("hides no payment of a plan, but the creator's name", async () => {
    const creator = await addUser(`plan_${round}`, { is_creator: 1 });
    await createBlock(at(owner), creator);
    const mails = await happen({
      kind: "subscription_renewed",
      payload: {
        subscription_id: newId(now_ms),
        user_id: owner,
        creator_user_id: creator,
        invoice_id: newId(now_ms),
        amount: 500,
      },
    } as never);
    const message = "ブロックしたクリエイターのプランが更新され、500円（税込）をお支払いいただきました。";
    expect((await list()).notifications).toMatchObject([{ message, actor: null, actors: [] }]);
    expect((await exportPage(at(owner), domains, "notifications", undefined)).items).toMatchObject([{ message }]);
    expect(mails).toMatchObject([{ kind: "subscription_renewed", gaps: { message } }]);
  });
});

/** Writes an outbox row, and returns the mails of its notifications. */
async function happen(event: OutboxEvent): Promise<HandedMail[]> {
  await runBatch(d1, [continuationStatement(openDatabase(d1), newId(now_ms), event, now_ms)]);
  return settle();
}

describe("a mail is not sent when meanwhile", () => {
  let fan: string;
  beforeEach(async () => {
    fan = await addFan("reader");
    await d1.prepare("UPDATE users SET email = ? WHERE user_id = ?").bind(`${fan}@example.jp`, fan).run();
    await follow(at(fan), owner);
    for (const reader of [fan, owner]) await updateSettings(at(reader), { page: ALL, mail: ALL });
    await settle();
  });
  const enqueue = (event: OutboxEvent) =>
    runBatch(d1, [continuationStatement(openDatabase(d1), newId(now_ms), event, now_ms)]);
  const publish = async () => {
    const event_id = await addPost();
    await enqueue({ kind: "event_published", payload: { event_id, fan_out_id: newId(now_ms), after: null } });
    return event_id;
  };
  /** The owner answers the fan's comment. */
  const answer = async () => {
    const event_id = await addPost();
    const comment_id = newId(now_ms);
    await d1
      .prepare(
        "INSERT INTO event_comments (comment_id, event_id, user_id, message, created_at) VALUES (?, ?, ?, 'x', '')",
      )
      .bind(comment_id, event_id, owner)
      .run();
    await enqueue({
      kind: "event_commented",
      payload: {
        ...{ comment_id, amount: 0, writer_user_id: owner, answered_user_id: fan },
        ...{ event_id, event_user_id: owner, event_link_id: `told_${round}` },
      },
    } as never);
    return comment_id;
  };
  const broadcast = async () => {
    const radio_id = newId(now_ms);
    await d1
      .prepare(
        `INSERT INTO radios (radio_id, user_id, title, description, publish_target_type, recording_publish_target_type, status,
          started_at, last_signal_at, is_chat_on, created_at, updated_at)
         VALUES (?, ?, '夜', '', 'public', 'public', 'on_air', ?3, ?3, 0, ?3, ?3)`,
      )
      .bind(radio_id, owner, new Date(now_ms).toISOString())
      .run();
    await enqueue({ kind: "radio_started", payload: { radio_id, fan_out_id: newId(now_ms), after: null } } as never);
    return radio_id;
  };
  const leave = "UPDATE users SET left_at = created_at WHERE user_id = (SELECT user_id FROM events WHERE event_id = ?)";

  test.each([
    ["the post is withdrawn", publish, "UPDATE events SET status = 'private' WHERE event_id = ?"],
    ["the post is deleted", publish, "DELETE FROM events WHERE event_id = ?"],
    ["the post's writer leaves", publish, leave],
    ["the reply is deleted", answer, "DELETE FROM event_comments WHERE comment_id = ?"],
    ["the reply is hidden", answer, "UPDATE event_comments SET hidden_at = '-' WHERE comment_id = ?"],
    [
      "the answered post is withdrawn",
      answer,
      "UPDATE events SET status = 'private' WHERE event_id = (SELECT event_id FROM event_comments WHERE comment_id = ?)",
    ],
    ["the radio ends", broadcast, "UPDATE radios SET status = 'finished', finished_at = started_at WHERE radio_id = ?"],
    ["the radio is deleted", broadcast, "DELETE FROM radios WHERE radio_id = ?"],
  ])("%s", async (_, happenTo, change) => {
    const told_id = await happenTo();
    await dispatchOnce();
    // Nothing else keeps the mail back.
    const waiting = "SELECT COUNT(*) AS n FROM outbox WHERE kind = 'notification_mailed' AND processed_at IS NULL";
    expect(await d1.prepare(waiting).first("n")).toBe(1);
    await d1.prepare(change).bind(told_id).run();
    expect(await settle()).toEqual([]);
  });

  test.each([
    ["post", publish],
    ["reply", answer],
    ["radio", broadcast],
  ])("nothing happens to the %s: then it is", async (_, happenTo) => {
    await happenTo();
    expect(await settle()).toMatchObject([{ recipient: `${fan}@example.jp` }]);
  });
});

describe("words that are spelt as a gap", () => {
  const exported = async (user_id: string) => {
    const [pages] = domains.flatMap((domain) => domain.exports?.notifications ?? []);
    const rows = await pages?.select(user_id, undefined, sql`LIMIT 20`).execute(openDatabase(d1));
    return rows?.rows.map(({ item }) => JSON.parse(item).message);
  };

  test("stay the names and titles that they are, on the page and in an export", async () => {
    const event_id = await addPost();
    const fan = await addFan("gap");
    await d1.batch([
      d1.prepare("UPDATE events SET title = '{actor}{actors}' WHERE event_id = ?").bind(event_id),
      d1.prepare("UPDATE users SET name = '{event}' WHERE user_id = ?").bind(fan),
    ]);
    await like(fan, event_id);
    const expected = ["{event}さんが「{actor}{actors}」に「いいね」しました。"];
    expect([await sentences(), await exported(owner)]).toEqual([expected, expected]);
  });

  test("are not filled in a plan's title", async () => {
    const [membership_id, now] = [newId(now_ms), new Date(now_ms).toISOString()];
    await d1
      .prepare(
        `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at)
         VALUES (?, ?, '{event}と{海}', '', 500, 'inactive', ?)`,
      )
      .bind(membership_id, owner, now)
      .run();
    const closing = await broadcastClosing({ membership_id, fan_out_id: "x", after: null }, openDatabase(d1), now_ms);
    const said = fillGaps(closing?.messageOf({ user_id: "x", at: now }) ?? "", { actor: "花", actors: "", event: "" });
    expect(said).toContain("花さんのプラン「｛event}と{海}」の募集が終了しました。");
  });
});

test("a post for a plan is announced to those who are members at the dispatcher's time", async () => {
  const [member, event_id, membership_id] = [await addFan("member"), await addPost(), newId(now_ms)];
  const now = new Date(now_ms).toISOString();
  const run = (statement: string, ...values: string[]) =>
    d1
      .prepare(statement)
      .bind(...values)
      .run();
  await run(
    `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at)
     VALUES (?, ?, '応援', '', 500, 'inactive', ?)`,
    ...[membership_id, owner, now],
  );
  await run(
    `INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at)
     VALUES (?, ?, ?, 'active', '2100-01-01T00:00:00.000Z', ?)`,
    ...[newId(now_ms), membership_id, member, now],
  );
  await run(
    "UPDATE events SET publish_target_type = 'memberships', publish_target_membership_id = ? WHERE event_id = ?",
    ...[membership_id, event_id],
  );
  const payload = { event_id, fan_out_id: "x", after: null };
  const readersAt = async (at_ms: number) =>
    (await broadcastPost(payload, openDatabase(d1), at_ms))?.findReaders(null, 10);
  expect(await readersAt(Date.UTC(2099, 0))).toMatchObject([{ user_id: member }]);
  expect(await readersAt(Date.UTC(2100, 0, 2))).toEqual([]);
});

test("after 90 days a bundle is deleted with its people", async () => {
  const fan = await addFan("old");
  await like(fan, await addPost());
  const countActs = () =>
    d1.prepare("SELECT COUNT(*) AS n FROM notification_actors WHERE actor_user_id = ?").bind(fan).first("n");
  expect(await countActs()).toBe(1);
  const age = "UPDATE notifications SET created_at = '2026-08-01T00:00:00.000Z' WHERE user_id = ?";
  await d1.prepare(age).bind(owner).run();
  await purgeExpired(d1, openDatabase(d1), NOW_MS, registry.expiries);
  expect([await sentences(), await countActs()]).toEqual([[], 0]);
});

describe("a member who has chosen", () => {
  test("gets letters by mail and page by default, and neither when both are off", async () => {
    const fan = await addFan("pen");
    expect(await findSettings(openDatabase(d1), owner)).toEqual({
      page: ALL,
      mail: without("liked", "followed", "new_event_comment", "get_reply_comment", "event_created", "radio_started"),
      push: without("liked", "followed", "event_created", "news_letter_received", "radio_started"),
      mail_language: "ja",
    });
    await write(fan);
    const [mail] = await settle();
    expect(mail).toMatchObject({
      kind: "notification",
      recipient: `told${round}@example.jp`,
      language: "ja",
      gaps: { topic: "get_free_ofuse", message: `pen_${round}さんからofuseが届きました。` },
    });
    await updateSettings(at(owner), { page: without("get_free_ofuse"), mail: ALL });
    await write(fan);
    expect(await settle(), "the mail needs no row on the page").toHaveLength(1);
    expect(await sentences()).toHaveLength(1);
    await updateSettings(at(owner), { page: ALL, mail: without("get_free_ofuse") });
    await write(fan);
    expect(await settle()).toEqual([]);
    expect(await sentences()).toHaveLength(2);
  });

  test("gets no bundle of a topic that is off, and no mail of likes", async () => {
    const event_id = await addPost();
    await like(await addFan("before"), event_id);
    await updateSettings(at(owner), { page: without("liked"), mail: ALL });
    expect(await like(await addFan("after"), event_id)).toEqual([]);
    expect(await sentences()).toEqual([`before_${round}さんが「海の絵」に「いいね」しました。`]);
  });

  test("gets notifications about a plan's money all the same", async () => {
    await updateSettings(at(owner), { page: [], mail: [] });
    const payload = { user_id: owner, payout_id: newId(now_ms), amount: 12_000, reason: "no_account" } as const;
    expect(await happen({ kind: "payout_failed", payload })).toMatchObject([{ kind: "payout_failed" }]);
    expect(await sentences()).toHaveLength(1);
  });

  test("hears of a new post only where it is wanted", async () => {
    const [page, mail, neither] = await Promise.all([addFan("page"), addFan("mail"), addFan("neither")]);
    for (const fan of [page, mail, neither]) {
      await d1.prepare("UPDATE users SET email = ? WHERE user_id = ?").bind(`${fan}@example.jp`, fan).run();
      await follow(at(fan), owner);
    }
    await settle();
    await updateSettings(at(mail), { page: without("event_created"), mail: ALL });
    await updateSettings(at(neither), { page: [], mail: [] });
    const event_id = await addPost();
    const mails = await happen({
      kind: "event_published",
      payload: { event_id, fan_out_id: newId(now_ms), after: null },
    });
    expect(mails.map(({ recipient, gaps }) => [recipient, "message" in gaps && gaps.message])).toEqual([
      [`${mail}@example.jp`, `told_${round}さんが「海の絵」を投稿しました。`],
    ]);
    expect([await sentences(page), await sentences(mail), await sentences(neither)]).toEqual([
      [`told_${round}さんが「海の絵」を投稿しました。`],
      [],
      [],
    ]);
  });
});

describe("the link of a mail", () => {
  const tokenOf = (topic: NotificationTopic) => mailToken({ topic, user_id: owner }, env.MEDIA_KEY);

  test("is signed for its receiver, shows the choices, and stops its own topic", async () => {
    await write(await addFan("linked"));
    const [mail] = await settle();
    const link = mail?.kind === "notification" ? mail.gaps.stop_link : "";
    const token = link.replace("https://ofuse.example/unsubscribe/", "");
    const { mail: before } = await readMailSettings(contextOf(null), token);
    expect(before).toContain("get_free_ofuse");
    const answer = await updateMailSettings(contextOf(null), { token });
    expect(answer).toEqual({ topic: "get_free_ofuse", mail: before.filter((topic) => topic !== "get_free_ofuse") });
    expect(await updateMailSettings(contextOf(null), { token })).toEqual(answer);
    expect(await findSettings(openDatabase(d1), owner)).toMatchObject({ page: ALL, mail: answer.mail });
  });

  test("stops its own topic alone, whichever links are used at the same moment", async () => {
    const { mail } = await findSettings(openDatabase(d1), owner);
    const stopped: NotificationTopic[] = ["get_ofuse", "get_free_ofuse", "get_ofuse_reply", "news_letter_received"];
    const tokens = await Promise.all(stopped.map(tokenOf));
    await Promise.all(tokens.map((token) => updateMailSettings(contextOf(null), { token })));
    const left = mail.filter((topic) => !stopped.includes(topic));
    expect(left).toContain("new_subscriber");
    expect((await findSettings(openDatabase(d1), owner)).mail).toEqual(left);
  });

  test("chooses all mails, newsletters among them", async () => {
    const token = await tokenOf("get_ofuse");
    await updateMailSettings(contextOf(null), { token, mail: ["new_subscriber"] });
    expect((await findSettings(openDatabase(d1), owner)).mail).toEqual(["new_subscriber"]);
    expect(await d1.prepare("SELECT 1 AS n FROM newsletter_refusals WHERE user_id = ?").bind(owner).first("n")).toBe(1);
    await updateMailSettings(contextOf(null), { token, mail: ["news_letter_received"] });
    expect((await readMailSettings(contextOf(null), token)).mail).toEqual(["news_letter_received"]);
  });

  test("is refused with another topic, another receiver, or another signature", async () => {
    const [topic, user_id, signature] = (await tokenOf("get_ofuse")).split(".");
    const other = await addFan("other");
    for (const token of [
      `get_free_ofuse.${user_id}.${signature}`,
      `${topic}.${other}.${signature}`,
      `${topic}.${user_id}.${signature}x`,
      "x",
    ]) {
      await expect(readMailSettings(contextOf(null), token)).rejects.toMatchObject({ code: "not_found" });
      await expect(updateMailSettings(contextOf(null), { token })).rejects.toMatchObject({ code: "not_found" });
    }
  });
});
