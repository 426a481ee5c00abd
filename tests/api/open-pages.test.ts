import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createBlock } from "../../workers/api/blocks/commands.ts";
import { updateSettings } from "../../workers/api/notifications/commands.ts";
import { answerWatch, tellPages } from "../../workers/api/notifications/watch.ts";
import { sendFreeOfuse } from "../../workers/api/ofuses/commands.ts";
import { follow } from "../../workers/api/relationships/commands.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchOutbox } from "../../workers/api/storage/outbox.ts";
import { HAS_UNREAD, NEW_NOTIFICATION } from "../../workers/contract/notification-watch.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, dispatcherOf, letterTo, NOW_MS } from "./support/context.ts";

/** The dot of open pages: who is told at once that a notification has come. */

const parts = { database: openDatabase(d1), rooms: env.NOTIFICATION_ROOM };
const dispatch = () =>
  dispatchOutbox(dispatcherOf({ tellPages: (user_ids) => tellPages(parts, user_ids), now_ms: NOW_MS + 60_000 }));

interface OpenPage {
  socket: WebSocket;
  heard: string[];
}

/** Opens a page of the member's. Returns its socket and what it was told. */
async function openPage(user_id: string): Promise<OpenPage> {
  const request = new Request("https://api.internal/watch", { headers: { upgrade: "websocket" } });
  const socket = (await answerWatch(request, user_id, parts)).webSocket;
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
  expect(await Promise.all(pages.map(settled))).toEqual([[NEW_NOTIFICATION], [NEW_NOTIFICATION], [], []]);
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
  expect(await settled(page), "the letter is still shown").toHaveLength(before + 1);
  const now = new Date(NOW_MS).toISOString();
  await d1.prepare("UPDATE users SET disabled_at = ? WHERE user_id = ?").bind(now, disabled).run();
  await tellPages(parts, [member]);
  expect(await settled(page)).toHaveLength(before + 1);
});
