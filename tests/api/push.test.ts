import { env } from "cloudflare:workers";
import { importJWK, jwtVerify } from "jose";
import { beforeEach, expect, test } from "vitest";
import { createBlock } from "../../workers/api/blocks/commands.ts";
import { openGateway } from "../../workers/api/gateway/client.ts";
import type { RequestContext } from "../../workers/api/http/request-context.ts";
import { likeEvent, likeEventComment } from "../../workers/api/likes/commands.ts";
import {
  deletePushSubscription,
  movePushSubscription,
  openAllNotifications,
  putPushSubscription,
  updateSettings,
} from "../../workers/api/notifications/commands.ts";
import { readSettings } from "../../workers/api/notifications/queries.ts";
import { sendFreeOfuse } from "../../workers/api/ofuses/commands.ts";
import { openPush, type Push } from "../../workers/api/push/client.ts";
import { dispatchOutbox } from "../../workers/api/storage/outbox.ts";
import { putPushSubscription as contract, type NotificationTopic } from "../../workers/contract/notifications.ts";
import { newId } from "../../workers/kernel/ids.ts";
import type { SignInMarks } from "../../workers/verifier/index.ts";
import { decryptPush, newPushReceiver, newVapidKeys, type PushReceiver } from "../support/push-receiver.ts";
import { addUser, contextOf, d1, dispatcherOf, letterTo, NOW_MS } from "./support/context.ts";

/** Push notifications, from what happened to the request that a push service gets. */

const SUBJECT = "mailto:operator@ofuse.example";
const keys = await newVapidKeys();
const gateway = openGateway({ SITE_ORIGIN: "https://ofuse.example" });

let round = 0;
let owner: string;
let receiver: PushReceiver;
let status: number;
let requests: { url: string; init: RequestInit | undefined }[];
let ended: string[];
let push: Push;
beforeEach(async () => {
  round++;
  status = 201;
  requests = [];
  ended = [];
  await d1.prepare("UPDATE outbox SET processed_at = '' WHERE processed_at IS NULL").run();
  owner = await addUser(`pushed_${round}`, { is_creator: 1 });
  await d1.prepare("UPDATE users SET accepts_free_ofuses = 1 WHERE user_id = ?").bind(owner).run();
  const settings = {
    ENVIRONMENT: "production",
    WEB_PUSH_PUBLIC_KEY: keys.public_key,
    WEB_PUSH_PRIVATE_KEY: keys.private_key,
    WEB_PUSH_SUBJECT: SUBJECT,
    // A deployment does not obey it.
    WEB_PUSH_LOOPBACK: "http://127.0.0.1:1",
  };
  const identity = {
    fetch: async (_url: string, init?: RequestInit) => {
      const { signInId } = JSON.parse(String(init?.body)) as SignInMarks;
      return new Response(null, { status: ended.includes(signInId) ? 401 : 204 });
    },
  };
  push = openPush(settings, identity, {
    fetch: async (url, init) => {
      requests.push({ url, init });
      return new Response(null, { status });
    },
  });
  receiver = await newPushReceiver(`browser-${round}`);
  await putPushSubscription(at(owner), receiver.address);
});

/** A member's request; each `sign_in` is another browser. */
function at(user_id: string, sign_in = "here"): RequestContext {
  const context = contextOf(user_id, { push, now_ms: NOW_MS + round * 1000 });
  const claims = { sub: `identity of ${user_id}`, auth_time: 0, signInId: `${sign_in} ${user_id}` };
  return { ...context, caller: { user_id, claims } };
}
/** Empties the outbox: the first round writes the notifications, the second sends them. */
async function settle(): Promise<void> {
  for (const _ of [1, 2]) await dispatchOutbox(dispatcherOf({ gateway, push, now_ms: NOW_MS + round * 1000 }));
}
const letter = async (fan: string) => sendFreeOfuse(at(fan), letterTo(owner));
const shown = () => Promise.all(requests.map(({ init }) => decryptPush(receiver, init?.body as Uint8Array)));
const choose = (topics: NotificationTopic[]) => updateSettings(at(owner), { page: [], mail: [], push: topics });
const browsers = async (user_id = owner) => {
  const { results } = await d1
    .prepare("SELECT endpoint FROM push_subscriptions WHERE user_id = ? ORDER BY endpoint")
    .bind(user_id)
    .all();
  return results.map(({ endpoint }) => endpoint);
};

test("a letter is pushed encrypted, signed with our key, and opens its notification", async () => {
  await letter(await addUser(`fan_${round}`));
  await settle();
  expect(requests.map(({ url }) => url)).toEqual([receiver.address.endpoint]);
  const row = await d1.prepare("SELECT notification_id FROM notifications WHERE user_id = ?").bind(owner).first();
  expect(await shown()).toEqual([
    {
      title: "無料のofuse",
      body: `fan_${round}さんからofuseが届きました。`,
      path: `/my/notifications/${row?.notification_id}`,
      tag: expect.stringMatching(/^[\w-]{32}$/),
    },
  ]);
  const headers = new Headers(requests[0]?.init?.headers);
  const [{ tag } = { tag: "" }] = await shown();
  expect([headers.get("ttl"), headers.get("urgency"), headers.get("topic")]).toEqual(["86400", "normal", tag]);
  const [, token = "", key] = /^vapid t=(\S+), k=(\S+)$/.exec(headers.get("authorization") ?? "") ?? [];
  expect(key).toBe(keys.public_key);
  const audience = "https://updates.push.services.mozilla.com";
  const { payload } = await jwtVerify(token, await importJWK(keys.public_jwk, "ES256"), { audience });
  expect(payload.sub).toBe(SUBJECT);
  await settle();
  expect(requests, "it is sent once").toHaveLength(1);
});

test("a browser that its push service does not know is forgotten", async () => {
  status = 410;
  await letter(await addUser(`fan_${round}`));
  await settle();
  expect([requests.length, await browsers()]).toEqual([1, []]);
});

test("a push service that fails gets the notification again, unless it was opened meanwhile", async () => {
  status = 503;
  await letter(await addUser(`fan_${round}`));
  await settle();
  expect(requests).toHaveLength(1);
  status = 201;
  await settle();
  expect(requests).toHaveLength(2);
  status = 503;
  await letter(await addUser(`other_${round}`));
  await settle();
  await openAllNotifications(at(owner));
  await settle();
  expect([requests.length, await browsers()]).toEqual([3, [receiver.address.endpoint]]);
});

test("nothing is sent to a browser whose sign-in has ended, and it is forgotten", async () => {
  const other = await newPushReceiver(`second-${round}`);
  await putPushSubscription(at(owner, "there"), other.address);
  ended = [`here ${owner}`];
  await letter(await addUser(`fan_${round}`));
  await settle();
  expect([requests.map(({ url }) => url), await browsers()]).toEqual([
    [other.address.endpoint],
    [other.address.endpoint],
  ]);
});

test("only chosen topics are pushed, also those that the page does not get, and nothing of a blocked person", async () => {
  const fan = await addUser(`fan_${round}`);
  await choose([]);
  await letter(fan);
  await settle();
  expect(requests).toEqual([]);
  await choose(["get_free_ofuse"]);
  await letter(await addUser(`other_${round}`));
  await settle();
  const [{ path } = { path: "" }] = await shown();
  expect(path).toMatch(/^\/my\/box\//);
  await letter(await addUser(`pest_${round}`));
  // The notification is enqueued for the browser, and waits.
  await dispatchOutbox(dispatcherOf({ gateway, push }));
  const pest = await d1.prepare("SELECT user_id FROM users WHERE link_id = ?").bind(`pest_${round}`).first();
  await createBlock(at(owner), String(pest?.user_id));
  await settle();
  expect(requests).toHaveLength(1);
});

test("ten likes ring once", async () => {
  await updateSettings(at(owner), { page: ["liked"], mail: [], push: ["liked"] });
  const event_id = newId(NOW_MS);
  const published = new Date(NOW_MS - 1000).toISOString();
  await d1
    .prepare(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
       VALUES (?, ?, 'blog', '海の絵', 'x', 'x', 'published', 'public', ?, ?)`,
    )
    .bind(event_id, owner, published, published)
    .run();
  for (let fan = 0; fan < 10; fan++) {
    await likeEvent(at(await addUser(`liker_${round}_${fan}`)), event_id, { is_liked: true });
    await settle();
  }
  expect(await shown()).toMatchObject([{ title: "いいね", body: expect.stringContaining("liker") }]);
  expect(new Headers(requests[0]?.init?.headers).get("urgency")).toBe("low");
});

test("nothing is pushed of a comment that was deleted meanwhile, or of the like of one", async () => {
  await choose(["new_event_comment", "liked"]);
  const now = new Date(NOW_MS - 1000).toISOString();
  const fan = await addUser(`fan_${round}`);
  const [event_id, comment_id, own_id] = [newId(NOW_MS), newId(NOW_MS), newId(NOW_MS)];
  const addComment = (id: string, writer: string) =>
    d1
      .prepare(
        "INSERT INTO event_comments (comment_id, event_id, user_id, message, created_at) VALUES (?, ?, ?, 'x', ?)",
      )
      .bind(id, event_id, writer, now);
  const commented = {
    ...{ comment_id, amount: 0, writer_user_id: fan, answered_user_id: null },
    ...{ event_id, event_user_id: owner, event_link_id: `pushed_${round}` },
  };
  await d1.batch([
    d1
      .prepare(
        `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
         VALUES (?, ?, 'blog', '海の絵', 'x', 'x', 'published', 'public', ?, ?)`,
      )
      .bind(event_id, owner, now, now),
    addComment(comment_id, fan),
    addComment(own_id, owner),
    d1
      .prepare(
        "INSERT INTO outbox (outbox_id, kind, payload, created_at, attempts) VALUES (?, 'event_commented', ?, ?, 0)",
      )
      .bind(newId(NOW_MS), JSON.stringify(commented), now),
  ]);
  await likeEventComment(at(fan), { event_id, comment_id: own_id }, { is_liked: true });
  await dispatchOutbox(dispatcherOf({ gateway, push }));
  const waiting = "SELECT COUNT(*) AS n FROM outbox WHERE kind = 'notification_pushed' AND processed_at IS NULL";
  expect(await d1.prepare(waiting).first("n")).toBe(2);
  await d1.prepare("DELETE FROM event_comments WHERE event_id = ?").bind(event_id).run();
  await settle();
  expect(requests).toEqual([]);
});

test("a member ends only the browser of the own sign-in, and takes over the one in use", async () => {
  const stranger = await addUser(`stranger_${round}`);
  await deletePushSubscription(at(stranger));
  await deletePushSubscription(at(owner, "there"));
  expect(await browsers()).toEqual([receiver.address.endpoint]);
  expect(await readSettings(at(owner))).toMatchObject({ is_push_on: true, push_public_key: keys.public_key });
  expect((await readSettings(at(owner, "there"))).is_push_on).toBe(false);
  await putPushSubscription(at(stranger), receiver.address);
  expect([await browsers(), await browsers(stranger)]).toEqual([[], [receiver.address.endpoint]]);
  await letter(stranger);
  await settle();
  expect(requests, "what was for the former member is not shown to the next one").toEqual([]);
  await deletePushSubscription(at(stranger));
  expect(await browsers(stranger)).toEqual([]);
});

test("what happened more than a day ago is not pushed any more", async () => {
  await letter(await addUser(`fan_${round}`));
  const late = dispatcherOf({ gateway, push, now_ms: NOW_MS + 25 * 60 * 60 * 1000 });
  for (const _ of [1, 2]) await dispatchOutbox(late);
  expect(requests).toEqual([]);
  const { results } = await d1.prepare("SELECT 1 FROM outbox WHERE processed_at IS NULL").all();
  expect(results).toEqual([]);
});

test("a key for which nothing can be encrypted is refused", async () => {
  const p256dh = `B${"A".repeat(86)}`;
  expect(contract.body.safeParse({ ...receiver.address, p256dh }).success).toBe(true);
  await expect(putPushSubscription(at(owner), { ...receiver.address, p256dh })).rejects.toMatchObject({
    code: "validation_failed",
  });
});

test("a browser that replaces its address keeps it for the member who turned it on alone", async () => {
  const stranger = await addUser(`stranger_${round}`);
  const replaces = receiver.address.endpoint;
  const address = { ...receiver.address, endpoint: `${replaces}-new`, replaces };
  await expect(putPushSubscription(at(stranger), address)).rejects.toMatchObject({ code: "not_found" });
  await expect(putPushSubscription(at(owner, "there"), address)).rejects.toMatchObject({ code: "not_found" });
  await putPushSubscription(at(owner), address);
  expect(await browsers()).toEqual([address.endpoint]);
});

test("a browser stays on when its member confirms their identity, which opens another sign-in", async () => {
  const stranger = await addUser(`stranger_${round}`);
  await expect(movePushSubscription(at(stranger, "there"), `here ${owner}`)).rejects.toMatchObject({
    code: "not_found",
  });
  expect((await readSettings(at(owner))).is_push_on).toBe(true);
  await movePushSubscription(at(owner, "there"), `here ${owner}`);
  ended = [`here ${owner}`];
  expect((await readSettings(at(owner, "there"))).is_push_on).toBe(true);
  await letter(stranger);
  await settle();
  expect(requests).toHaveLength(1);
});

test("a sign-in has one browser and a member ten; the oldest makes room", async () => {
  for (let each = 100; each < 111; each++) {
    const address = { ...receiver.address, endpoint: `${receiver.address.endpoint}-${each}` };
    await putPushSubscription({ ...at(owner, `browser ${each}`), now_ms: NOW_MS + each * 1000 }, address);
    await putPushSubscription({ ...at(owner, `browser ${each}`), now_ms: NOW_MS + each * 1000 }, address);
  }
  const left = await browsers();
  expect([left.length, left[0]]).toEqual([10, `${receiver.address.endpoint}-101`]);
});

test("without keys nothing is offered, taken or sent", async () => {
  push = openPush({ ENVIRONMENT: "production" }, env.IDENTITY, { fetch: () => Promise.reject(new Error("sent")) });
  expect((await readSettings(at(owner))).push_public_key).toBeNull();
  await expect(putPushSubscription(at(owner), receiver.address)).rejects.toMatchObject({ code: "not_found" });
  await letter(await addUser(`fan_${round}`));
  await settle();
  const failed = await d1
    .prepare("SELECT COUNT(*) AS n FROM outbox WHERE attempts > 0 AND processed_at IS NULL")
    .first();
  expect(failed?.n).toBe(0);
});

test("only addresses of push services are taken", () => {
  const isTaken = (endpoint: string) => contract.body.safeParse({ ...receiver.address, endpoint }).success;
  const taken = [
    "https://fcm.googleapis.com/fcm/send/cdvX:APA91b-_x",
    "https://updates.push.services.mozilla.com/wpush/v2/gAAAA",
    "https://wns2-par02p.notify.windows.com/w/?token=BQYA%2f%3d",
    "https://web.push.apple.com/QGuQyavXutnMH",
  ];
  const refused = [
    "http://fcm.googleapis.com/fcm/send/x",
    "https://127.0.0.1/x",
    "https://localhost:8787/x",
    "https://fcm.googleapis.com.evil.example/x",
    "https://evil.example/fcm.googleapis.com/x",
    "https://x@fcm.googleapis.com/x",
    "https://fcm.googleapis.com:8443/x",
    "https://fcm.googleapis.com\\@evil.example/x",
    `https://fcm.googleapis.com/${"x".repeat(1000)}`,
  ];
  expect([taken.filter((each) => !isTaken(each)), refused.filter(isTaken)]).toEqual([[], []]);
});
