import { describe, expect, test } from "vitest";
import { mailToken } from "../../workers/api/notifications/rules.ts";
import { createEventComment } from "../../workers/contract/comments.ts";
import { createEvent, deleteEvent, updateEvents } from "../../workers/contract/events.ts";
import { exportAccount } from "../../workers/contract/leaving.ts";
import {
  deletePushSubscription,
  getMailSettings,
  getNotificationSettings,
  listNotifications,
  movePushSubscription,
  notificationTopic,
  openAllNotifications,
  openNotification,
  putPushSubscription,
  updateMailSettings,
  updateNotificationSettings,
} from "../../workers/contract/notifications.ts";
import { sendFreeOfuse, updateOfuse } from "../../workers/contract/ofuses.ts";
import { follow, unfollow } from "../../workers/contract/relationships.ts";
import { reportEvent, reportOfuse } from "../../workers/contract/reports.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import {
  browser,
  database,
  disable,
  freshMember,
  type Member,
  network,
  openBrowserAs,
  tick,
} from "../support/network.ts";
import { newPushReceiver } from "../support/push-receiver.ts";
import { ask, NOBODY, refused } from "./support/calls.ts";

const pair = () => Promise.all([freshMember("ファン"), freshMember("作家")]);
/** Returns somebody with a letter from each of three people. */
async function addressee(): Promise<Member> {
  const artist = await freshMember("人気者");
  const body = { receiver_user_id: artist.user.user_id, message: "おたより" };
  for (const name of ["いち", "に", "さん"]) {
    await ask(sendFreeOfuse, { token: (await freshMember(name)).token, body });
  }
  return artist;
}
const followOne = (fan: Member, artist: Member) =>
  ask(follow, { token: fan.token, body: { following_id: artist.user.user_id } });
/** Returns a member's notifications after the outbox is empty. */
async function news(member: Member) {
  await tick();
  return (await ask(listNotifications, { token: member.token })).notifications;
}

describe("a notification", () => {
  test("of a follow arrives once, also after following again", async () => {
    const [fan, artist] = await pair();
    await followOne(fan, artist);
    await ask(unfollow, { token: fan.token, query: { following_id: artist.user.user_id } });
    await followOne(fan, artist);
    await tick();
    const told = await news(artist);
    expect(told).toMatchObject([
      {
        type: "custom",
        is_opened: false,
        message: "ファンさんがあなたをフォローしました。",
        path: `/${fan.user.link_id}`,
        actor: { user_id: fan.user.user_id },
      },
    ]);
    expect(await news(fan)).toEqual([]);
  });

  test("of a letter reaches its receiver, and of the reply its sender, each once", async () => {
    const [fan, artist] = await pair();
    const body = { receiver_user_id: artist.user.user_id, message: "おたより\n二行目" };
    const { ofuse } = await ask(sendFreeOfuse, { token: fan.token, body });
    const path = `/my/box/${ofuse.ofuse_id}`;
    expect(await news(artist)).toMatchObject([
      { type: "get_free_ofuse", path, actor: { name: "ファン" }, excerpt: "おたより" },
    ]);
    const params = { ofuse_id: ofuse.ofuse_id };
    await ask(updateOfuse, { params, token: artist.token, body: { reply: "おへんじ" } });
    expect(await news(fan)).toMatchObject([
      { type: "get_ofuse_reply", path, actor: { name: "作家" }, excerpt: "おへんじ" },
    ]);
    expect(await news(artist)).toHaveLength(1);
  });

  test("is not sent for a refused act", async () => {
    const [fan, artist] = await pair();
    const body = { receiver_user_id: artist.user.user_id, message: "" };
    await refused(sendFreeOfuse, "validation_failed", { token: fan.token, body });
    expect(await news(artist)).toEqual([]);
  });
});

test("notifications are listed page by page", async () => {
  const artist = await addressee();
  const [newest, middle, oldest] = await news(artist);
  const params = { notification_id: newest?.notification_id ?? "" };
  await ask(openNotification, { params, token: artist.token });
  const pageOf = (page_number: number) =>
    ask(listNotifications, { token: artist.token, query: { page_size: 1, page_number } });
  expect(await pageOf(1)).toMatchObject({
    notifications: [{ ...newest, is_opened: true }],
    has_next: true,
  });
  expect(await pageOf(2)).toMatchObject({ notifications: [middle], has_next: true });
  expect(await pageOf(3)).toMatchObject({ notifications: [oldest], has_next: false });
});

test("notifications are grouped on their page by day in Japan, with names for today and yesterday", async () => {
  const artist = await addressee();
  await followOne(await freshMember("よん"), artist);
  const told = await news(artist);
  const own = await browser();
  await own.signIn(artist);
  const now_ms = Date.now();
  const past = [new Date(now_ms - 86_400_000).toISOString(), "2025-01-01T15:30:00.000Z", "2025-01-01T14:30:00.000Z"];
  const set = (await database()).prepare("UPDATE notifications SET created_at = ? WHERE notification_id = ?");
  for (const [at, iso] of past.entries()) await set.bind(iso, told[at + 1]?.notification_id).run();
  const { text } = await own.get("/my/notifications");
  const days = [...text.matchAll(/<h2 class="notification-day">([^<]*)/g)].map(([, day]) => day);
  expect(days).toEqual(["今日", "昨日", "2025/01/02", "2025/01/01"]);
});

test("a notification shows the first line of a letter or comment while its reader may see it", async () => {
  const [fan, artist] = await pair();
  const body = { receiver_user_id: artist.user.user_id, message: "読んでください" };
  const { ofuse } = await ask(sendFreeOfuse, { token: fan.token, body });
  expect((await news(artist))[0]?.excerpt).toBe("読んでください");
  const params = { ofuse_id: ofuse.ofuse_id };
  await ask(reportOfuse, { params, token: artist.token, body: { reason: "others", detail: "" } });
  expect((await news(artist))[0]?.excerpt).toBeNull();
});

describe("a post's title in notifications", () => {
  /** Creates a follower with notifications of a post and of a reply to her comment on it. */
  async function told() {
    const [fan, artist] = await pair();
    await followOne(fan, artist);
    const title = `題名${crypto.randomUUID()}`;
    const body = {
      kind: "blog" as const,
      title,
      document: [{ type: "paragraph" as const, content: [{ type: "text" as const, text: "本文" }] }],
      status: "published" as const,
      publish_target_type: "public" as const,
    };
    const { event_id } = (await ask(createEvent, { token: artist.token, body })).event;
    const params = { event_id };
    const { comment } = await ask(createEventComment, { token: fan.token, params, body: { message: "すてき" } });
    const answer = { message: "ありがとう", parent_comment_id: comment.comment_id };
    await ask(createEventComment, { token: artist.token, params, body: answer });
    const words = async (member: Member) => (await news(member)).map(({ message }) => message);
    /** The same sentences in the member's data export. */
    const copied = async (member: Member) => {
      const { items } = await ask(exportAccount, { token: member.token, query: { part: "notifications" } });
      return items.map(({ message }) => message).toReversed();
    };
    const sentencesOf = (post: string) => [
      `作家さんが${post}であなたのコメントに返信しました。`,
      `作家さんが${post}を投稿しました。`,
    ];
    expect(await words(fan)).toEqual(sentencesOf(`「${title}」`));
    expect(await copied(fan)).toEqual(sentencesOf(`「${title}」`));
    const sentencesWithout = (post: string) => [
      `作家さんが、${post}であなたのコメントに返信しました。`,
      `作家さんの投稿がありました（${post}）。`,
    ];
    return {
      fan,
      artist,
      event_id,
      comment_id: comment.comment_id,
      title,
      words,
      copied,
      sentencesOf,
      sentencesWithout,
    };
  }

  const hide = async (statement: string, event_id: string) =>
    void (await (await database()).prepare(statement).bind(event_id).run());

  test.each([
    [
      "made private",
      "非公開になった投稿",
      (artist: Member, event_id: string) =>
        ask(updateEvents, {
          token: artist.token,
          body: { change: "status", event_ids: [event_id], status: "private" },
        }),
    ],
    [
      "taken down",
      "非公開になった投稿",
      (_: Member, event_id: string) =>
        hide(
          "UPDATE events SET status = 'private', removed_at = '2026-01-01T00:00:00.000Z' WHERE event_id = ?",
          event_id,
        ),
    ],
    [
      "deleted",
      "削除された投稿",
      (artist: Member, event_id: string) => ask(deleteEvent, { token: artist.token, params: { event_id } }),
    ],
  ])("disappears when it is %s, also from the data export", async (_, called, change) => {
    const { fan, artist, event_id, title, words, copied, sentencesWithout } = await told();
    await change(artist, event_id);
    expect(await words(fan)).toEqual(sentencesWithout(called));
    expect(await copied(fan)).toEqual(sentencesWithout(called));
    const kept = (await database()).prepare("SELECT COUNT(*) AS n FROM notifications WHERE instr(message, ?)");
    expect(await kept.bind(title).first("n"), "no row holds it").toBe(0);
  });

  test("disappears while its writer is disabled, with everything of the writer", async () => {
    const { fan, artist, event_id, comment_id, title, words, copied, sentencesOf } = await told();
    const other = await freshMember("もう一人");
    const params = { event_id };
    const answer = { message: "わたしも", parent_comment_id: comment_id };
    await ask(createEventComment, { token: other.token, params, body: answer });
    const sentences = (post: string) => `もう一人さんが${post}であなたのコメントに返信しました。`;
    const before = [sentences(`「${title}」`), ...sentencesOf(`「${title}」`)];
    expect([await words(fan), await copied(fan)]).toEqual([before, before]);
    await disable(artist);
    const left = ["もう一人さんが、非公開になった投稿であなたのコメントに返信しました。"];
    expect([await words(fan), await copied(fan)]).toEqual([left, left]);
    await disable(artist, null);
    expect([await words(fan), await copied(fan)]).toEqual([before, before]);
  });

  test("disappears for its reporter, and stays for its writer in every state", async () => {
    const { fan, artist, event_id, title, words, sentencesWithout } = await told();
    await ask(reportEvent, { token: fan.token, params: { event_id }, body: { reason: "others" } });
    expect(await words(fan)).toEqual(sentencesWithout("あなたが通報した投稿"));
    const body = { change: "status" as const, event_ids: [event_id], status: "private" as const };
    await ask(updateEvents, { token: artist.token, body });
    expect(await words(artist)).toContain(`ファンさんが「${title}」にコメントしました。`);
  });

  test("is the present one, like the name, even if it looks like a placeholder", async () => {
    const { fan, artist, event_id, words, copied } = await told();
    await hide("UPDATE events SET title = '{actor}の{event}' WHERE event_id = ?", event_id);
    await ask(updateProfile, { token: artist.token, body: { name: "改名した人" } });
    expect((await words(fan))[1]).toBe("改名した人さんが「{actor}の{event}」を投稿しました。");
    expect((await copied(fan))[1]).toMatch(/^改名した人さんが「.*」を投稿しました。$/);
  });

  test("is in no answer stored for a retry of opening it", async () => {
    const { fan, title } = await told();
    const [first] = await news(fan);
    const call = {
      token: fan.token,
      params: { notification_id: first?.notification_id ?? "" },
      key: crypto.randomUUID(),
    };
    for (let round = 0; round < 2; round++) {
      expect((await ask(openNotification, call)).notification.is_opened).toBe(true);
    }
    const kept = (await database()).prepare(
      "SELECT COUNT(*) AS n FROM idempotency_keys WHERE instr(answer, ?) AND scope LIKE '% openNotification'",
    );
    expect(await kept.bind(title).first("n")).toBe(0);
  });
});

test("an unread notification is reported, however many newer ones were read", async () => {
  const member = await freshMember("よく知らされる人");
  const d1 = await database();
  await d1
    .prepare(
      `INSERT INTO notifications (notification_id, user_id, type, message, path, occasion, is_opened, created_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25)
       SELECT '01kaf2m8q3v7x1n5r9t4w6' || printf('%04d', i), ?1, 'custom', 'x', '/', 'many ' || ?1 || i, i > 1,
         '2026-11-20T00:00:00.000Z' FROM n`,
    )
    .bind(member.user.user_id)
    .run();
  const list = () => ask(listNotifications, { token: member.token });
  const first = await list();
  expect([first.notifications.length, first.notifications.every(({ is_opened }) => is_opened)]).toEqual([20, true]);
  expect(first.has_unopened).toBe(true);
  const own = await browser();
  await own.signIn(member);
  expect((await own.get("/")).text).toContain("お知らせ（未読あり）");
  await ask(openAllNotifications, { token: member.token });
  expect((await list()).has_unopened).toBe(false);
  expect((await own.get("/")).text).not.toContain("お知らせ（未読あり）");
});

describe("opening", () => {
  const three = async () => {
    const artist = await addressee();
    return { artist, told: await news(artist) };
  };

  test("one notification leaves the others unread", async () => {
    const { artist, told } = await three();
    const params = { notification_id: told[1]?.notification_id ?? "" };
    for (let round = 0; round < 2; round++) {
      const { notification } = await ask(openNotification, { params, token: artist.token });
      expect(notification).toEqual({ ...told[1], is_opened: true });
    }
    expect((await news(artist)).map(({ is_opened }) => is_opened)).toEqual([false, true, false]);
  });

  test("all notifications marks only the caller's own", async () => {
    const [{ artist }, other] = await Promise.all([three(), three()]);
    expect(await ask(openAllNotifications, { token: artist.token })).toEqual({ is_opened: true });
    expect((await news(artist)).every(({ is_opened }) => is_opened)).toBe(true);
    expect((await news(other.artist)).some(({ is_opened }) => is_opened)).toBe(false);
  });

  test("another member's notification is not found", async () => {
    const { told } = await three();
    const { token } = await freshMember("のぞき見");
    for (const notification_id of [told[0]?.notification_id ?? "", NOBODY]) {
      await refused(openNotification, "not_found", { params: { notification_id }, token });
    }
  });
});

describe("what a member wants to be told", () => {
  const ALL = notificationTopic.options;

  test("is chosen in a form without script, and a topic that is off is not told", async () => {
    const [fan, artist] = await pair();
    const page = await openBrowserAs(artist);
    const path = "/my/settings/notifications";
    expect(choicesOn((await page.get(path)).text, "page")).toEqual([...ALL]);
    const body = new URLSearchParams([
      ["page", "get_ofuse"],
      ["mail", "get_ofuse_reply"],
      ["mail", "no such topic"],
      ["mail_language", "en"],
    ]);
    const saved = await page.send(path, { method: "POST", body, headers: page.sameOrigin() });
    expect([saved.status, saved.location]).toEqual([303, path]);
    const { text } = await page.get(path);
    expect(text, "a site without keys does not mention push notifications").not.toContain("プッシュ");
    expect([choicesOn(text, "page"), choicesOn(text, "mail")]).toEqual([["get_ofuse"], ["get_ofuse_reply"]]);
    await followOne(fan, artist);
    expect(await news(artist)).toEqual([]);
    const settings = { page: ALL, mail: [] };
    const { push } = await ask(updateNotificationSettings, {
      token: artist.token,
      body: { ...settings, push: ["liked"] },
    });
    expect(push).toEqual(["liked"]);
    // Nobody said another language since the form.
    const chosen = { ...settings, push, mail_language: "en" as const };
    expect(await ask(updateNotificationSettings, { token: artist.token, body: settings })).toEqual(chosen);
    const without_keys = { push_public_key: null, is_push_on: false };
    expect(await ask(getNotificationSettings, { token: artist.token })).toEqual({ ...chosen, ...without_keys });
    expect(await ask(getNotificationSettings, { token: fan.token }), "nobody else's").not.toMatchObject(settings);
    const address = (await newPushReceiver("nobody")).address;
    await refused(putPushSubscription, "not_found", { token: artist.token, body: address });
    await refused(movePushSubscription, "not_found", { token: artist.token, body: { former_sign_in_id: "another" } });
    await ask(deletePushSubscription, { token: artist.token });
    const { items } = await ask(exportAccount, { token: artist.token, query: { part: "profile" } });
    expect(items[0]?.notification_settings).toContainEqual({ topic: "liked", channel: "page", is_on: true });
  });

  test("is chosen by the link of a mail, without a log-in; opening the link changes nothing", async () => {
    const artist = await freshMember("作家");
    const { MEDIA_KEY } = (await network()).secrets;
    const token = await mailToken({ topic: "get_free_ofuse", user_id: artist.user.user_id }, MEDIA_KEY);
    const path = `/unsubscribe/${token}`;
    const visitor = await browser();
    const mails = async () => (await ask(getMailSettings, { query: { token } })).mail;
    expect((await visitor.get(path)).text.replace(/<[^>]*>/g, "")).toContain(
      "「無料のofuse」のメールを受け取っています",
    );
    expect(await mails()).toContain("get_free_ofuse");
    // A mailbox posts without cookies, and with no origin or its own (RFC 8058).
    const click = { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) };
    for (const origin of ["https://mail.example", "null", null]) {
      const headers = origin === null ? undefined : { origin };
      expect((await visitor.send(path, { ...click, headers })).status).toBe(200);
    }
    expect(await mails()).not.toContain("get_free_ofuse");
    expect((await visitor.get(path)).text.replace(/<[^>]*>/g, "")).toContain("メールを受け取っていません");
    expect((await visitor.post(path, { do: "choose", mail: "new_subscriber" })).location).toBe(path);
    expect(await mails()).toEqual(["new_subscriber"]);
    expect(choicesOn((await visitor.get(path)).text, "mail")).toEqual(["new_subscriber"]);
    expect((await visitor.send(`${path}x`, click)).status).toBe(404);
    expect((await visitor.post(path, { do: "nothing" })).status).toBe(400);
    await refused(updateMailSettings, "not_found", { body: { token: `${token}x` } });
  });
});

/** Returns the topics whose checkbox of this channel is checked. */
function choicesOn(html: string, channel: string): string[] {
  const boxes = html.match(/<input type="checkbox"[^>]*>/g) ?? [];
  const checked = boxes.filter((box) => box.includes(`name="${channel}"`) && / checked/.test(box));
  return notificationTopic.options.filter((topic) => checked.some((box) => box.includes(`value="${topic}"`)));
}
