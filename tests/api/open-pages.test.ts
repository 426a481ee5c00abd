import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createBlock } from "../../workers/api/blocks/commands.ts";
import { domains } from "../../workers/api/domains.ts";
import { openAllNotifications, openNotification, updateSettings } from "../../workers/api/notifications/commands.ts";
import { answerWatch, tellPages } from "../../workers/api/notifications/watch.ts";
import { sendFreeOfuse } from "../../workers/api/ofuses/commands.ts";
import { follow } from "../../workers/api/relationships/commands.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchOutbox } from "../../workers/api/storage/outbox.ts";
import { ALL_READ, HAS_UNREAD, NEW_NOTIFICATION, TELLS_READ } from "../../workers/contract/notification-watch.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, dispatcherOf, letterTo, NOW_MS } from "./support/context.ts";

const excerpts = Object.assign({}, ...domains.map((domain) => domain.excerpts));

/** The dot of open pages: which pages learn at once of a new notification. */

const parts = { database: openDatabase(d1), rooms: env.NOTIFICATION_ROOM };
const dispatch = () =>
  dispatchOutbox(dispatcherOf({ tellPages: (user_ids) => tellPages(parts, user_ids), now_ms: NOW_MS + 60_000 }));

interface OpenPage {
  socket: WebSocket;
  heard: string[];
}

const watching = (search = "") =>
  new Request(`https://api.internal/watch${search}`, { headers: { upgrade: "websocket" } });

const openPage = (user_id: string) => openWith(user_id, `?${TELLS_READ}`);
/** Opens a page whose script is older than the word {@link ALL_READ}. */
const openOldPage = (user_id: string) => openWith(user_id, "");

/** Opens a page of the member's. Returns its socket and the messages it gets. */
async function openWith(user_id: string, search: string): Promise<OpenPage> {
  const socket = (await answerWatch(watching(search), user_id, parts)).webSocket;
  if (!socket) throw new Error("no socket was opened");
  const heard: string[] = [];
  socket.addEventListener("message", ({ data }) => void heard.push(String(data)));
  socket.accept();
  return { socket, heard };
}

/** Returns after the room has answered a ping of the page: whatever the room said before has arrived. */
async function settled({ socket, heard }: OpenPage): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }) => {
    if (data === "pong") resolve();
  });
  socket.send("ping");
  await promise;
  return heard.filter((message) => message !== "pong");
}

/** Leaves the row of a member whose pages were all closed: nothing writes when a page closes. */
const leaveRow = (user_id: string) => d1.prepare("INSERT INTO open_pages VALUES (?)").bind(user_id).run();
const listOpen = async () =>
  (await d1.prepare("SELECT user_id FROM open_pages").all<{ user_id: string }>()).results.map(({ user_id }) => user_id);

/** Publishes a post to a thousand followers, of whom these are some. */
async function publishTo(readers: readonly string[]): Promise<void> {
  const creator = await addUser(`creator_${newId(NOW_MS)}`.slice(0, 20).toLowerCase(), { is_creator: 1 });
  const now = new Date(NOW_MS).toISOString();
  const others = JSON.stringify(Array.from({ length: 1000 }, () => newId(NOW_MS)));
  const event_id = newId(NOW_MS);
  await d1.batch([
    d1
      .prepare(
        "INSERT INTO users (user_id, identity_id, link_id, name, created_at) SELECT value, value, value, 'x', ? FROM json_each(?)",
      )
      .bind(now, others),
    d1
      .prepare("INSERT INTO relationships (follower_id, following_id, created_at) SELECT value, ?, ? FROM json_each(?)")
      .bind(creator, now, others),
    d1
      .prepare("INSERT INTO relationships (follower_id, following_id, created_at) SELECT value, ?, ? FROM json_each(?)")
      .bind(creator, now, JSON.stringify(readers)),
    d1
      .prepare(
        `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
         VALUES (?, ?, 'blog', '海の絵', 'x', 'x', 'published', 'public', ?, ?)`,
      )
      .bind(event_id, creator, now, now),
    d1
      .prepare(
        "INSERT INTO outbox (outbox_id, kind, payload, created_at, attempts) VALUES (?, 'event_published', ?, ?, 0)",
      )
      .bind(newId(NOW_MS), JSON.stringify({ event_id, fan_out_id: newId(NOW_MS), after: null }), now),
  ]);
  await dispatch();
  await dispatch();
  await dispatch();
}

test("a post to a thousand followers lights the dot of each open page, and of no other", async () => {
  const [first, last, gone, uninterested, stranger] = await Promise.all(
    ["first", "last", "gone", "uninterested", "stranger"].map((name) => addUser(`${name}_open_page`)),
  );
  if (!first || !last || !gone || !uninterested || !stranger) throw new Error("unreachable");
  await updateSettings(contextOf(uninterested), { page: [], mail: [] });
  const pages = await Promise.all([first, last, uninterested, stranger].map(openPage));
  await leaveRow(gone);
  await publishTo([first, last, gone, uninterested]);
  expect(await Promise.all(pages.map(settled))).toEqual([
    [ALL_READ, NEW_NOTIFICATION],
    [ALL_READ, NEW_NOTIFICATION],
    [ALL_READ, ALL_READ],
    [ALL_READ],
  ]);
  const open = await listOpen();
  expect(open).toEqual(expect.arrayContaining([first, last]));
  expect(open, "a member who closed all pages is not asked again").not.toContain(gone);
});

test("a page that opens again after its room was found empty is told as before", async () => {
  const [member, fan, next] = await Promise.all(["again", "again_fan", "again_next"].map((name) => addUser(name)));
  if (!member || !fan || !next) throw new Error("unreachable");
  await leaveRow(member);
  await follow(contextOf(fan), member);
  await dispatch();
  expect(await listOpen()).not.toContain(member);
  const page = await openPage(member);
  expect(await settled(page)).toEqual([HAS_UNREAD]);
  await follow(contextOf(next), member);
  await dispatch();
  expect(await settled(page)).toEqual([HAS_UNREAD, NEW_NOTIFICATION]);
});

test("a page is not told of notifications that are hidden from its member", async () => {
  const [member, blocked, disabled] = await Promise.all(
    ["hiding", "hiding_blocked", "hiding_disabled"].map((name) => addUser(name)),
  );
  if (!member || !blocked || !disabled) throw new Error("unreachable");
  await d1.prepare("UPDATE users SET accepts_free_ofuses = 1 WHERE user_id = ?").bind(member).run();
  const page = await openPage(member);
  await follow(contextOf(blocked), member);
  await sendFreeOfuse(contextOf(disabled), letterTo(member));
  await dispatch();
  const before = (await settled(page)).length;
  expect(before).toBeGreaterThan(0);
  await createBlock(contextOf(member), blocked);
  await tellPages(parts, [member]);
  expect((await settled(page)).slice(before), "the letter is still shown").toEqual([NEW_NOTIFICATION]);
  const now = new Date(NOW_MS).toISOString();
  await d1.prepare("UPDATE users SET disabled_at = ? WHERE user_id = ?").bind(now, disabled).run();
  await tellPages(parts, [member]);
  expect((await settled(page)).slice(before)).toEqual([NEW_NOTIFICATION, ALL_READ]);
});

test("the member's other pages learn that the last notification was opened; pages of an older version do not", async () => {
  const [member, fan, next] = await Promise.all(
    ["opening", "opening_fan", "opening_next"].map((name) => addUser(name)),
  );
  if (!member || !fan || !next) throw new Error("unreachable");
  await d1.prepare("UPDATE users SET accepts_free_ofuses = 1 WHERE user_id = ?").bind(member).run();
  await sendFreeOfuse(contextOf(fan), letterTo(member));
  await follow(contextOf(next), member);
  await dispatch();
  const [page, old_page] = [await openPage(member), await openOldPage(member)];
  const late: Promise<void>[] = [];
  const context = {
    ...contextOf(member),
    tellPages: (user_ids: string[]) => void late.push(tellPages(parts, user_ids)),
  };
  const { results } = await d1
    .prepare("SELECT notification_id FROM notifications WHERE user_id = ?")
    .bind(member)
    .all<{ notification_id: string }>();
  expect(results).toHaveLength(2);
  for (const { notification_id } of results) {
    await openNotification(context, excerpts, notification_id);
    await Promise.all(late);
  }
  expect(await settled(page), "one was still unread after the first").toEqual([HAS_UNREAD, NEW_NOTIFICATION, ALL_READ]);
  await openAllNotifications(context);
  await Promise.all(late);
  expect((await settled(page)).at(-1)).toBe(ALL_READ);
  expect(await settled(await openPage(member))).toEqual([ALL_READ]);
  expect(await settled(await openOldPage(member))).toEqual([]);
  expect(await settled(old_page)).toEqual([HAS_UNREAD, NEW_NOTIFICATION]);
});

test("a page whose room fails is refused with `unavailable`, so that it tries again", async () => {
  const fail = () => Promise.reject(new Error("Durable Object is overloaded. Too many requests queued."));
  const user_id = await addUser("watching_in_vain");
  const watch = (room: object) => {
    const rooms = { getByName: () => room } as unknown as typeof env.NOTIFICATION_ROOM;
    return answerWatch(watching(), user_id, { ...parts, rooms });
  };
  await expect(watch({ fetch: fail })).rejects.toMatchObject({ code: "unavailable" });
  await sendFreeOfuse(contextOf(await addUser("writer_in_vain")), letterTo(user_id));
  await dispatch();
  await expect(watch({ fetch: async () => new Response(), greet: fail })).rejects.toMatchObject({
    code: "unavailable",
  });
});

test("a worker of an earlier version, which names no state, tells of a new notification", async () => {
  const member = await addUser("open_pages_earlier");
  const page = await openPage(member);
  const before = (await settled(page)).length;
  await env.NOTIFICATION_ROOM.getByName(member).tell(member);
  expect((await settled(page)).slice(before)).toEqual([NEW_NOTIFICATION]);
});
