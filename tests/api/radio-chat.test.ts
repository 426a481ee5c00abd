/** Tests the chat of radio: who may read and write when, the order, history, limits, and sockets. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { deliverStatements, type PaidLetter } from "../../workers/api/ofuses/commands.ts";
import { openChatRooms } from "../../workers/api/radio-chat/rooms.ts";
import { answerChatSocket } from "../../workers/api/radio-chat/socket.ts";
import { type ChatTicket, signChatToken } from "../../workers/api/radio-chat/tokens.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchOutbox } from "../../workers/api/storage/outbox.ts";
import { CHAT_ENDED } from "../../workers/contract/chat-names.ts";
import type { ChatEvent } from "../../workers/contract/chat-socket.ts";
import { NO_MAINTENANCE } from "../../workers/contract/maintenance-status.ts";
import type { ChatMessage } from "../../workers/contract/radio-chat.ts";
import { WITHOUT_SESSION } from "../../workers/contract/sign-out-watch.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { Problem } from "../../workers/kernel/problem.ts";
import { runBatch } from "../../workers/storage/commit.ts";
import { openChat } from "../../workers/web/chat-socket.ts";
import type { Incoming } from "../../workers/web/incoming.ts";
import { stopClock } from "../support/stopped-clock.ts";
import { d1, dispatcherOf } from "./support/context.ts";
import { problemOf } from "./support/product.ts";
import {
  addMember,
  addPlan,
  addRadio,
  block,
  changeRadio,
  finishRadio,
  follow,
  type Member,
  outcomeOf,
  pay,
  product,
  runSql,
  startRadio,
  succeed,
  toIsoTime,
} from "./support/radios.ts";

interface Room {
  owner: Member;
  radio_id: string;
  url_key: string | null;
}

async function openRoom(more: Parameters<typeof addRadio>[1] = {}): Promise<Room> {
  const owner = await addMember("owner");
  const { radio_id, url_key } = await addRadio(owner, more);
  await startRadio(owner, radio_id);
  const room = { owner, radio_id, url_key };
  await answerSignIns(room, () => 204);
  return room;
}

/** Answers for the identity service in this room. Returns the ids of the accounts that the room asks about. */
async function answerSignIns({ radio_id }: Room, statusOf: (sub: string) => number): Promise<string[]> {
  const asked: string[] = [];
  const fetch = async (_url: string, { body }: { body: string }) => {
    const { sub } = JSON.parse(body);
    asked.push(sub);
    return new Response(null, { status: statusOf(sub) });
  };
  await runInDurableObject(env.RADIO_CHAT_ROOM.getByName(radio_id), (instance) =>
    Object.assign(instance, { env: { ...env, IDENTITY: { fetch } } }),
  );
  return asked;
}

type Caller = Partial<Member> & { url_key?: string | undefined };
const asked = (method: string, path: string, { token, url_key }: Caller = {}, body?: object, key?: string) => ({
  method,
  path,
  ...(token && { token }),
  ...(url_key && { url_key }),
  ...(body && { body }),
  ...(key && { key }),
});
const messagesPath = (radio_id: string) => `/v4/radios/${radio_id}/chat_messages`;
const sayingOf = ({ radio_id }: Room, caller: Caller, message: string, key?: string) =>
  asked("POST", messagesPath(radio_id), caller, { message }, key);
const say = (room: Room, caller: Caller, message = "こんばんは", key?: string) =>
  outcomeOf(sayingOf(room, caller, message, key));
const read = async ({ radio_id }: Room, caller: Caller = {}, query = "") =>
  (await succeed(asked("GET", messagesPath(radio_id) + query, caller))) as {
    messages: ChatMessage[];
    next_page_token: string | null;
  };
const wordsOf = async (...args: Parameters<typeof read>) =>
  (await read(...args)).messages.map(({ message }) => message);
const roomPath = ({ radio_id }: Room, rest = "") => `/v4/radios/${radio_id}/chat_room${rest}`;
const restrict = (owner: Member, { user_id }: Member, method = "POST") =>
  outcomeOf(asked(method, `/v4/users/${user_id}/radio_chat_restriction`, owner));
const setRoom = ({ owner, radio_id }: Room, settings: object) =>
  succeed(asked("PUT", `/v4/radios/${radio_id}/chat_room`, owner, settings));

/** A socket of the chat, with what it got. */
class Listener {
  readonly events: ChatEvent[] = [];
  close_code: number | undefined;
  readonly #socket: WebSocket;
  #wake = () => {};

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.accept();
    socket.addEventListener("message", ({ data }) => {
      if (data !== "pong") this.events.push(JSON.parse(String(data)));
      this.#wake();
    });
    socket.addEventListener("close", ({ code }) => {
      this.close_code = code;
      this.#wake();
    });
  }

  /** Waits until the condition holds; it is checked after each event. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  get words(): string[] {
    return this.events.flatMap((event) =>
      event.type === "messages" ? event.messages.map((each) => each.message) : [],
    );
  }

  send(said: object): void {
    this.#socket.send(JSON.stringify(said));
  }

  close(): void {
    this.#socket.close(1000);
  }
}

const openSocket = (radio_id: string, token: string) =>
  answerChatSocket(
    new Request(`https://api.internal/chat?${new URLSearchParams({ radio_id, token })}`, {
      headers: { upgrade: "websocket" },
    }),
    Date.now(),
    env,
  );
const listeners: Listener[] = [];
async function listen({ radio_id }: Room, caller: Caller = {}): Promise<Listener> {
  const { token } = await succeed(asked("POST", `/v4/radios/${radio_id}/chat_room_token`, caller));
  const { webSocket } = await openSocket(radio_id, token);
  if (!webSocket) throw new Error("no socket");
  const listener = new Listener(webSocket);
  listeners.push(listener);
  return listener;
}
afterEach(() => {
  for (const listener of listeners.splice(0)) listener.close();
});

describe("a message", () => {
  test("reaches every socket in one order, which the history has too", async () => {
    const room = await openRoom();
    const people = await Promise.all(Array.from({ length: 4 }, () => addMember()));
    const sockets = await Promise.all([listen(room), ...people.map((person) => listen(room, person))]);
    const said = people.flatMap((person, n) => [0, 1, 2].map((m) => ({ person, words: `${n}の${m}` })));
    const outcomes = await Promise.all(said.map(({ person, words }) => say(room, person, words)));
    expect(new Set(outcomes)).toEqual(new Set(["201"]));
    await Promise.all(sockets.map((socket) => socket.until(() => socket.words.length === said.length)));
    const history = await wordsOf(room);
    expect(history.toSorted()).toEqual(said.map(({ words }) => words).toSorted());
    for (const socket of sockets) expect(socket.words).toEqual(history);
  });

  test("is sent on a member's socket too, and its sender learns what became of it", async () => {
    const room = await openRoom();
    const fan = await addMember();
    const [socket, visitor] = await Promise.all([listen(room, fan), listen(room)]);
    socket.send({ say: "  聴いています  ", key: "a" });
    await socket.until(() => socket.events.some(({ type }) => type === "written"));
    await visitor.until(() => visitor.words.length === 1);
    expect(visitor.words).toEqual(["聴いています"]);
    socket.send({ say: "あ".repeat(201), key: "b" });
    // Refused because nobody is signed in, before it is read: its length does not count.
    visitor.send({ say: "だ".repeat(201), key: "c" });
    await socket.until(() => socket.events.some(({ type }) => type === "refused"));
    await visitor.until(() => visitor.events.some(({ type }) => type === "refused"));
    expect(socket.events.at(-1)).toMatchObject({ type: "refused", key: "b", code: "validation_failed" });
    expect(visitor.events.at(-1)).toMatchObject({ type: "refused", key: "c", code: "unauthenticated" });
    expect(await wordsOf(room)).toEqual(["聴いています"]);
  });

  test("has 1 to 200 characters as people see them", async () => {
    const room = await openRoom();
    const fan = await addMember();
    const family = "👨‍👩‍👧‍👦";
    expect(await say(room, fan, family.repeat(200))).toBe("201");
    expect(await say(room, fan, family.repeat(201))).toBe("validation_failed");
    expect(await say(room, fan, " \u200b ")).toBe("validation_failed");
  });

  test("is written once for one idempotency key, also when it is sent many times at the same moment", async () => {
    const room = await openRoom();
    const fan = await addMember();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => product.ask(sayingOf(room, fan, "一度だけ", "once-0001"))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    expect(new Set(answers.map(({ json }) => json.message_id)).size).toBe(1);
    expect(await wordsOf(room)).toEqual(["一度だけ"]);
    expect(await say(room, fan, "別の言葉", "once-0001")).toBe("idempotency_key_reused");
  });

  test("of a key derived from the words may be repeated a minute later", async () => {
    const room = await openRoom();
    const fan = await addMember();
    for (const _ of "ab") await say(room, fan, "草", "words-0001");
    expect(await wordsOf(room)).toEqual(["草"]);
    const earlier = toIsoTime(Date.now() - 70_000);
    await runSql("UPDATE idempotency_keys SET created_at = ? WHERE idempotency_key = ?", earlier, "words-0001");
    for (const _ of "ab") await say(room, fan, "草", "words-0001");
    expect(await wordsOf(room)).toEqual(["草", "草"]);
  });

  test("is refused before and after the broadcast, and while the chat is off", async () => {
    const owner = await addMember("owner");
    const { radio_id } = await addRadio(owner);
    const room = { owner, radio_id, url_key: null };
    expect(await say(room, owner)).toBe("chat_closed");
    await startRadio(owner, radio_id);
    expect(await say(room, owner)).toBe("201");
    await runSql("UPDATE radios SET is_chat_on = 0 WHERE radio_id = ?", radio_id);
    expect(await say(room, owner)).toBe("chat_closed");
    await runSql("UPDATE radios SET is_chat_on = 1 WHERE radio_id = ?", radio_id);
    await finishRadio(owner, radio_id);
    expect(await say(room, owner)).toBe("chat_closed");
    expect(await outcomeOf(asked("POST", `/v4/radios/${radio_id}/chat_room_token`, owner))).toBe("chat_closed");
    expect(await wordsOf(room, owner)).toEqual(["こんばんは"]);
  });

  test("after the end is refused as closed to the audience of the broadcast, whatever that of its recording", async () => {
    const room = await openRoom({ publish_target_type: "fans", recording_publish_target_type: "none" });
    const [fan, stranger] = [await addMember(), await addMember()];
    await follow(fan, room.owner);
    await finishRadio(room.owner, room.radio_id);
    expect([await say(room, fan), await say(room, stranger)]).toEqual(["chat_closed", "not_found"]);

    const secret = await openRoom({ publish_target_type: "url", recording_publish_target_type: "none" });
    await finishRadio(secret.owner, secret.radio_id);
    const holder = { ...fan, url_key: secret.url_key ?? "" };
    expect([await say(secret, holder), await say(secret, fan)]).toEqual(["chat_closed", "not_found"]);
  });

  test("is written at most ten times in ten seconds by one person, and the others go on", async () => {
    stopClock();
    const room = await openRoom();
    const [fast, slow] = [await addMember(), await addMember()];
    const outcomes = await Promise.all(Array.from({ length: 12 }, (_, n) => say(room, fast, `${n}`)));
    expect(outcomes.toSorted()).toEqual([...Array(10).fill("201"), "too_many_requests", "too_many_requests"]);
    expect(await say(room, slow)).toBe("201");
  });

  test("reaches the room while another member floods it, whose messages are refused at once", async () => {
    stopClock();
    const room = await openRoom();
    const { radio_id } = room;
    const [fast, slow] = [await addMember(), await addMember()];
    const postOf = ({ user_id }: Member) => ({
      radio_id,
      user_id,
      url_key_hash: null,
      message: "草",
      idempotency: null,
    });
    const stub = env.RADIO_CHAT_ROOM.getByName(radio_id);
    const flood = Array.from({ length: 2000 }, () => stub.post(postOf(fast)));
    expect(await stub.post(postOf(slow))).toHaveProperty("message_id");
    const refused = (await Promise.all(flood)).filter((posted) => "code" in posted);
    expect(refused).toHaveLength(1990);
    expect(new Set(refused.map((posted) => JSON.stringify(posted)))).toEqual(
      new Set([JSON.stringify({ code: "too_many_requests", retry_after_s: 10 })]),
    );
  });

  test("is the last of a socket that floods: it is closed, and the others go on", async () => {
    stopClock();
    const room = await openRoom();
    const [fast, slow] = [await addMember(), await addMember()];
    const [flooding, other] = [await listen(room, fast), await listen(room, fast)];
    for (let n = 0; n < 101; n++) flooding.send({ say: "草", key: `${n}` });
    await flooding.until(() => flooding.close_code !== undefined);
    expect(flooding.close_code).toBe(1008);
    expect(await say(room, slow)).toBe("201");
    await other.until(() => other.words.includes("こんばんは"));
    expect(other.close_code).toBeUndefined();
  });
});

describe("under maintenance", () => {
  const inMinutes = (minutes: number) => toIsoTime(Date.now() + minutes * 60_000);
  const setMaintenance = (started_at: string, finished_at: string | null) =>
    runSql("INSERT OR REPLACE INTO maintenance VALUES (1, ?, ?)", started_at, finished_at);
  afterEach(() => runSql("DELETE FROM maintenance"));

  test("an open socket stays, and what it sends is refused until the end", async () => {
    const room = await openRoom();
    const socket = await listen(room, await addMember());
    const answerTo = async (key: string) => {
      socket.send({ say: "聞こえますか", key });
      const find = () => socket.events.find((event) => "key" in event && event.key === key);
      await socket.until(() => find() !== undefined);
      return find();
    };
    await setMaintenance(inMinutes(1), null);
    expect(await answerTo("before")).toMatchObject({ type: "written" });
    await setMaintenance(inMinutes(-1), null);
    expect(await answerTo("without an end")).toMatchObject({ type: "refused", code: "under_maintenance" });
    await setMaintenance(inMinutes(-1), inMinutes(1));
    expect(await answerTo("with an end")).toMatchObject({ type: "refused", code: "under_maintenance" });
    await setMaintenance(inMinutes(-2), inMinutes(-1));
    expect(await answerTo("after")).toMatchObject({ type: "written" });
    expect(await wordsOf(room)).toHaveLength(2);
  });

  test("no new socket opens", async () => {
    const asked: string[] = [];
    const API = {
      fetch: async (address: string | Request) => {
        const { pathname } = new URL(address instanceof Request ? address.url : address);
        asked.push(pathname);
        if (pathname === "/chat") return new Response(null, { status: 404 });
        return Response.json({ version: "site.1", maintenance: NO_MAINTENANCE, paused_features: [] });
      },
    };
    const openAt = (MAINTENANCE: string) => {
      const request = new Request(`https://ofuse.example/session/chat/${newId(Date.now())}?token=token`, {
        headers: { upgrade: "websocket" },
      });
      const web = { MAINTENANCE, V4_ORIGIN: "", PROJECT_ID: "demo-ofuse", API } as unknown as WebEnv;
      const execution = { waitUntil: () => {} } as unknown as ExecutionContext;
      return openChat({ request, env: web, execution, request_id: "r", client_address: null, device: "" } as Incoming);
    };
    const refused = await openAt('{"status":"UNDER_MAINTENANCE"}');
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "600"]);
    expect(await refused.json()).toMatchObject({ code: "under_maintenance" });
    expect(asked).not.toContain("/chat");
    await openAt("");
    expect(asked).toContain("/chat");
  });
});

describe("who may read and write", () => {
  const calls: [string, (room: Room, caller: Caller) => Promise<string>][] = [
    ["read", ({ radio_id }, caller) => outcomeOf(asked("GET", messagesPath(radio_id), caller))],
    ["room", (room, caller) => outcomeOf(asked("GET", roomPath(room), caller))],
    ["token", ({ radio_id }, caller) => outcomeOf(asked("POST", `/v4/radios/${radio_id}/chat_room_token`, caller))],
    ["write", (room, caller) => say(room, caller)],
    ["react", (room, caller) => outcomeOf(asked("POST", roomPath(room, "/reactions"), caller, { emoji: "👏" }))],
    ["set", (room, caller) => outcomeOf(asked("PUT", roomPath(room), caller, {}))],
  ];
  const outcomesOf = async (room: Room, caller: Caller) => {
    const met: string[] = [];
    for (const [, call] of calls) met.push(await call(room, caller));
    return met.join(" ");
  };
  const full = "200 200 201 201 200";

  test("follows the visibility of the radio, and the settings are the owner's", async () => {
    const [fan, stranger] = [await addMember("fan"), await addMember("stranger")];
    const nobody = "not_found not_found not_found not_found not_found not_found";
    const unknown = "not_found not_found not_found unauthenticated unauthenticated unauthenticated";
    const everybody = await openRoom();
    expect(await outcomesOf(everybody, {})).toBe("200 200 201 unauthenticated unauthenticated unauthenticated");
    expect(await outcomesOf(everybody, stranger)).toBe(`${full} not_found`);
    expect(await outcomesOf(everybody, everybody.owner)).toBe(`${full} 200`);

    const fans = await openRoom({ publish_target_type: "fans" });
    await follow(fan, fans.owner);
    expect(await outcomesOf(fans, {})).toBe(unknown);
    expect(await outcomesOf(fans, stranger)).toBe(nobody);
    expect(await outcomesOf(fans, fan)).toBe(`${full} not_found`);

    const owner = await addMember("owner");
    const publish_target_membership_id = await addPlan(owner);
    const of_plan = { publish_target_type: "memberships", publish_target_membership_id } as const;
    const members = { owner, ...(await addRadio(owner, of_plan)) };
    await startRadio(owner, members.radio_id);
    await pay(fan, publish_target_membership_id, 10);
    await pay(stranger, publish_target_membership_id, -1);
    expect(await outcomesOf(members, stranger)).toBe(nobody);
    expect(await outcomesOf(members, fan)).toBe(`${full} not_found`);

    const keyed = await openRoom({ publish_target_type: "url" });
    const url_key = keyed.url_key ?? "";
    expect(await outcomesOf(keyed, { url_key: "q2Zt0cN5yVd8Rk1LwXo7Bg" })).toBe(unknown);
    expect(await outcomesOf(keyed, stranger)).toBe(nobody);
    expect(await outcomesOf(keyed, { url_key })).toBe("200 200 201 unauthenticated unauthenticated unauthenticated");
    expect(await outcomesOf(keyed, { ...stranger, url_key })).toBe(`${full} not_found`);
    const socket = await listen(keyed, { ...stranger, url_key });
    socket.send({ say: "鍵で来ました", key: "k" });
    await socket.until(() => socket.words.length === 1);
  });

  test("a block in either direction stops writing, and hides the words from who blocked", async () => {
    const room = await openRoom();
    const [blocked, blocker, bystander] = [await addMember(), await addMember(), await addMember()];
    await block(room.owner, blocked);
    await block(blocker, room.owner);
    expect([await say(room, blocked), await say(room, blocker)]).toEqual(["blocked", "blocked"]);
    const [enemy, reader] = [await addMember(), await addMember()];
    await block(reader, enemy);
    const [of_reader, of_bystander] = await Promise.all([listen(room, reader), listen(room, bystander)]);
    await say(room, enemy, "見えない言葉");
    await say(room, bystander, "見える言葉");
    await of_bystander.until(() => of_bystander.words.length === 2);
    await of_reader.until(() => of_reader.words.length === 1);
    expect(of_reader.words).toEqual(["見える言葉"]);
    expect(await wordsOf(room, reader)).toEqual(["見える言葉"]);
    expect(await wordsOf(room, enemy)).toEqual(["見えない言葉", "見える言葉"]);
  });

  test("a broadcaster still reads and deletes what others read of a person whom they have blocked", async () => {
    const room = await openRoom();
    const [enemy, bystander] = [await addMember(), await addMember()];
    await say(room, enemy, "残る言葉");
    await block(room.owner, enemy);
    expect([await wordsOf(room, room.owner), await wordsOf(room, bystander)]).toEqual([["残る言葉"], ["残る言葉"]]);
    const [message] = (await read(room, room.owner)).messages;
    const path = roomPath(room, `/messages/${message?.message_id}`);
    expect(await outcomeOf(asked("DELETE", path, room.owner))).toBe("204");
    expect(await wordsOf(room, bystander)).toEqual([]);
  });

  test("a restriction holds at once, also on an open socket, and ends at once", async () => {
    const room = await openRoom();
    const fan = await addMember();
    const socket = await listen(room, fan);
    expect(await restrict(room.owner, fan)).toBe("200");
    await socket.until(() => socket.events.length === 1);
    expect(socket.events).toEqual([{ type: "restriction", is_restricted: true }]);
    socket.send({ say: "まだ言えるかな", key: "a" });
    await socket.until(() => socket.events.length === 2);
    expect(socket.events[1]).toMatchObject({ type: "refused", key: "a", code: "chat_restricted" });
    expect(await say(room, fan)).toBe("chat_restricted");
    expect(await outcomeOf(asked("POST", roomPath(room, "/reactions"), fan, { emoji: "👏" }))).toBe("chat_restricted");
    expect((await succeed(asked("GET", roomPath(room), fan))).room).toMatchObject({
      may_write: false,
      is_restricted: true,
    });
    expect(await restrict(room.owner, fan)).toBe("200");
    await socket.until(() => socket.events.length === 3);
    // Another broadcaster's chat is open to the person.
    expect(await say(await openRoom(), fan)).toBe("201");
    expect(await restrict(room.owner, fan, "DELETE")).toBe("204");
    await socket.until(() => socket.events.length === 4);
    socket.send({ say: "また言えます", key: "b" });
    await socket.until(() => socket.words.length === 1);
    expect(await restrict(room.owner, room.owner)).toBe("cannot_restrict_yourself");
  });

  test("a disabled account writes nothing, and its words are hidden", async () => {
    const room = await openRoom();
    const fan = await addMember();
    const socket = await listen(room, fan);
    await say(room, fan, "のちに消える言葉");
    await runSql("UPDATE users SET disabled_at = ? WHERE user_id = ?", toIsoTime(Date.now()), fan.user_id);
    socket.send({ say: "まだ言えるかな", key: "a" });
    await socket.until(() => socket.events.some(({ type }) => type === "refused"));
    expect(socket.events.at(-1)).toMatchObject({ code: "account_disabled" });
    expect(await wordsOf(room)).toEqual([]);
  });

  test("lists the restricted people of a broadcaster in pages, newest first", async () => {
    const owner = await addMember("owner");
    const people = [await addMember(), await addMember(), await addMember()];
    for (const [n, { user_id }] of people.entries()) {
      await runSql(
        "INSERT INTO radio_chat_restrictions VALUES (?, ?, ?)",
        ...[owner.user_id, user_id, toIsoTime(1_790_000_000_000 + (n === 2 ? 1 : n) * 1000)],
      );
    }
    const list = async (query: string) =>
      (await succeed(asked("GET", `/v4/my/radio_chat_restrictees?limit=1${query}`, owner))) as {
        restrictees: { user: { user_id: string } }[];
        next_page_token: string | null;
      };
    const met: (string | undefined)[] = [];
    for (let query: string | null = ""; query !== null; ) {
      const page = await list(query);
      met.push(page.restrictees[0]?.user.user_id);
      query = page.next_page_token && `&next_page_token=${page.next_page_token}`;
    }
    const [first, second, third] = people.map(({ user_id }) => user_id);
    expect(met).toEqual([...[second, third].toSorted(), first]);
    const stranger = await addMember();
    const among = `&user_id[]=${stranger.user_id}&user_id[]=${first}`;
    expect(await list(among)).toMatchObject({ restrictees: [{ user: { user_id: first } }], next_page_token: null });
    expect((await list(`&user_id[]=${stranger.user_id}`)).restrictees).toEqual([]);
  });
});

describe("access that ends while a socket is open", () => {
  /** Runs the check that each room runs every minute. */
  const check = ({ radio_id }: Room) => runDurableObjectAlarm(env.RADIO_CHAT_ROOM.getByName(radio_id));
  const signedOut = (listener: Listener) => listener.until(() => listener.close_code !== undefined);
  const identityOf = ({ user_id }: Member) => `identity of ${user_id}`;

  test("a blocked follower of a radio for followers hears nothing after the next check", async () => {
    const room = await openRoom({ publish_target_type: "fans" });
    const [fan, other] = [await addMember(), await addMember()];
    await Promise.all([follow(fan, room.owner), follow(other, room.owner)]);
    const [of_fan, of_other, of_owner] = [
      await listen(room, fan),
      await listen(room, other),
      await listen(room, room.owner),
    ];
    await check(room);
    await succeed(asked("POST", "/v4/blocks", room.owner, { blocking_id: fan.user_id }));
    await check(room);
    await signedOut(of_fan);
    expect(of_fan.close_code).toBe(CHAT_ENDED);
    await say(room, other);
    await Promise.all([of_other, of_owner].map((socket) => socket.until(() => socket.words.length === 1)));
    expect(of_fan.words).toEqual([]);
  });

  test("holders of a replaced key hear nothing after the next check", async () => {
    const room = await openRoom({ publish_target_type: "url" });
    const fan = await addMember();
    const old = { url_key: room.url_key ?? "" };
    const replaced = [await listen(room, old), await listen(room, { ...fan, ...old })];
    const { json } = await changeRadio(room.owner, room.radio_id, {
      publish_target_type: "url",
      rotates_url_key: true,
    });
    const holders = [
      await listen(room, { url_key: json.url_key }),
      await listen(room, { ...fan, url_key: json.url_key }),
    ];
    await check(room);
    await Promise.all(replaced.map(signedOut));
    expect(replaced.map(({ close_code }) => close_code)).toEqual([CHAT_ENDED, CHAT_ENDED]);
    await say(room, room.owner);
    await Promise.all(holders.map((socket) => socket.until(() => socket.words.length === 1)));
    expect(replaced.flatMap(({ words }) => words)).toEqual([]);
  });

  test("visitors, strangers, disabled and gone people hear nothing after the next check of a changed radio", async () => {
    const room = await openRoom();
    const [fan, stranger, disabled, gone] = [
      await addMember(),
      await addMember(),
      await addMember(),
      await addMember(),
    ];
    await Promise.all([fan, disabled, gone].map((each) => follow(each, room.owner)));
    const stay = await listen(room, fan);
    const go = [await listen(room)];
    for (const each of [stranger, disabled, gone]) go.push(await listen(room, each));
    await changeRadio(room.owner, room.radio_id, { publish_target_type: "fans" });
    const now = toIsoTime(Date.now());
    await runSql("UPDATE users SET disabled_at = ? WHERE user_id = ?", now, disabled.user_id);
    await runSql("UPDATE users SET left_at = ? WHERE user_id = ?", now, gone.user_id);
    await check(room);
    await Promise.all(go.map(signedOut));
    expect(go.map(({ close_code }) => close_code)).toEqual(Array(4).fill(CHAT_ENDED));
    await say(room, fan);
    await stay.until(() => stay.words.length === 1);
    await finishRadio(room.owner, room.radio_id);
    await check(room);
    await signedOut(stay);
    expect(stay.close_code).toBe(CHAT_ENDED);
  });

  test("everybody hears at once that the radio has ended, before the next check", async () => {
    const room = await openRoom();
    const sockets = [await listen(room), await listen(room, await addMember()), await listen(room, room.owner)];
    await finishRadio(room.owner, room.radio_id);
    await dispatchOutbox(dispatcherOf({ chat: openChatRooms(env.RADIO_CHAT_ROOM), now_ms: Date.now() }));
    await Promise.all(sockets.map(signedOut));
    expect(sockets.map(({ close_code }) => close_code)).toEqual(Array(3).fill(CHAT_ENDED));
  });

  test("an ended sign-in writes nothing, and its sockets are closed", async () => {
    const room = await openRoom();
    const [fan, other] = [await addMember(), await addMember()];
    const sockets = [await listen(room, fan), await listen(room, fan)];
    const of_other = await listen(room, other);
    await answerSignIns(room, (sub) => (sub === identityOf(fan) ? 401 : 204));
    sockets[0]?.send({ say: "まだ言えるかな", key: "a" });
    await Promise.all(sockets.map(signedOut));
    expect(sockets.map(({ close_code }) => close_code)).toEqual([WITHOUT_SESSION, WITHOUT_SESSION]);
    expect(sockets[0]?.events).toMatchObject([{ type: "refused", key: "a", code: "token_invalid" }]);
    of_other.send({ say: "こちらは言えます", key: "b" });
    await of_other.until(() => of_other.words.length === 1);
    expect(await wordsOf(room)).toEqual(["こちらは言えます"]);
  });

  test("an ended sign-in hears nothing after the check that asks about it: at most fifty, those of longest ago", async () => {
    const room = await openRoom();
    const [fan, silent, ...others] = await Promise.all(Array.from({ length: 52 }, () => addMember()));
    if (!fan || !silent) throw new Error("nobody");
    const first = [await listen(room, fan), await listen(room, fan), await listen(room, silent)];
    await Promise.all(others.map((each) => listen(room, each)));
    let ended = "";
    const asked = await answerSignIns(room, (sub) => (sub === ended ? 401 : sub === identityOf(silent) ? 503 : 204));
    await check(room);
    expect([asked.length, new Set(asked).size]).toEqual([50, 50]);
    expect(asked).toContain(identityOf(fan));
    const later = others.map(identityOf).filter((sub) => !asked.includes(sub));
    expect(later).toHaveLength(2);
    ended = identityOf(fan);
    asked.length = 0;
    // The room remembers an answer for a second.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1100 });
    onTestFinished(() => void vi.useRealTimers());
    await check(room);
    expect(asked).toEqual(expect.arrayContaining(later));
    await check(room);
    await signedOut(first[0] as Listener);
    expect(first.map(({ close_code }) => close_code)).toEqual([WITHOUT_SESSION, WITHOUT_SESSION, undefined]);
  });

  test("members write while the identity service is silent", async () => {
    const room = await openRoom();
    const socket = await listen(room, await addMember());
    await answerSignIns(room, () => 503);
    socket.send({ say: "聞こえますか", key: "a" });
    await socket.until(() => socket.words.length === 1);
    await check(room);
    expect(socket.close_code).toBeUndefined();
  });
});

describe("history", () => {
  test("is read in both directions from a date, page by page", async () => {
    const room = await openRoom();
    const fans = [await addMember(), await addMember(), await addMember()];
    const words = Array.from({ length: 25 }, (_, n) => `発言${n}`);
    for (const [n, each] of words.entries()) await say(room, fans[n % 3] ?? {}, each);
    const collect = async (query: string, join: (met: string[], page: string[]) => string[]) => {
      let met: string[] = [];
      let token: string | null = "";
      while (token !== null) {
        const page = await read(room, {}, `?limit=10&${query}${token && `&next_page_token=${token}`}`);
        met = join(
          met,
          page.messages.map(({ message }) => message),
        );
        token = page.next_page_token;
      }
      return met;
    };
    expect(await collect("direction=older", (met, page) => [...page, ...met])).toEqual(words);
    expect(await collect("direction=newer", (met, page) => [...met, ...page])).toEqual(words);
    const { results } = await d1
      .prepare("SELECT created_at FROM radio_chat_messages WHERE radio_id = ? ORDER BY message_id")
      .bind(room.radio_id)
      .all<{ created_at: string }>();
    const from = `from_date=${results[12]?.created_at}`;
    expect(await collect(`direction=older&${from}`, (met, page) => [...page, ...met])).toEqual(words.slice(0, 12));
    expect(await collect(`direction=newer&${from}`, (met, page) => [...met, ...page])).toEqual(words.slice(12));
    for (const path of [messagesPath(room.radio_id), "/v4/my/radio_chat_restrictees"]) {
      expect(await outcomeOf(asked("GET", `${path}?next_page_token=bad`, room.owner))).toBe("validation_failed");
    }
  });

  test("has no deleted messages, which only their writer and the broadcaster delete", async () => {
    const room = await openRoom();
    const [fan, stranger] = [await addMember(), await addMember()];
    await say(room, fan, "書いた人が消す");
    await say(room, fan, "放送した人が消す");
    await say(room, fan, "残る");
    const socket = await listen(room);
    const [first, second] = (await read(room)).messages.map(({ message_id }) => message_id);
    const remove = (message_id: string | undefined, caller: Caller) =>
      outcomeOf(asked("DELETE", roomPath(room, `/messages/${message_id}`), caller));
    expect([await remove(first, {}), await remove(first, stranger)]).toEqual(["unauthenticated", "not_found"]);
    expect([await remove(first, fan), await remove(second, room.owner)]).toEqual(["204", "204"]);
    expect(await remove(second, room.owner)).toBe("not_found");
    expect(await wordsOf(room)).toEqual(["残る"]);
    await socket.until(() => socket.events.length === 2);
    expect(socket.events).toEqual([
      { type: "deleted", message_id: first },
      { type: "deleted", message_id: second },
    ]);
    const other = await openRoom();
    const [last] = (await read(room)).messages;
    const of_other = `/v4/radios/${other.radio_id}/chat_room/messages/${last?.message_id}`;
    expect(await outcomeOf(asked("DELETE", of_other, fan))).toBe("not_found");
  });
});

describe("the broadcaster", () => {
  test("pins messages with their moment, and unpins them", async () => {
    const room = await openRoom();
    const fan = await addMember();
    await say(room, fan, "よい質問");
    const [message] = (await read(room)).messages;
    const pin = roomPath(room, `/messages/${message?.message_id}/pin`);
    const socket = await listen(room);
    expect(await outcomeOf(asked("POST", pin, fan))).toBe("not_found");
    const { pinned_at } = await succeed(asked("POST", pin, room.owner));
    expect((await succeed(asked("POST", pin, room.owner))).pinned_at).toBe(pinned_at);
    expect((await succeed(asked("GET", roomPath(room)))).room.pinned_messages).toMatchObject([
      { message: "よい質問", pinned_at },
    ]);
    expect(await outcomeOf(asked("DELETE", pin, fan))).toBe("not_found");
    expect(await outcomeOf(asked("DELETE", pin, room.owner))).toBe("204");
    expect((await succeed(asked("GET", roomPath(room)))).room.pinned_messages).toEqual([]);
    await socket.until(() => socket.events.length === 2);
    const { message_id } = message ?? {};
    expect(socket.events).toEqual([
      { type: "pinned", message_id, pinned_at, message: { ...message, pinned_at } },
      { type: "pinned", message_id, pinned_at: null },
    ]);
    await finishRadio(room.owner, room.radio_id);
    // After the end, the chapter is the message's own moment.
    const later = await succeed(asked("POST", pin, room.owner));
    expect(later.pinned_at < pinned_at).toBe(true);
  });

  test("pins a message for everybody but those who have blocked its writer", async () => {
    const room = await openRoom();
    const [enemy, reader] = [await addMember(), await addMember()];
    await say(room, enemy, "見えない言葉");
    const [message] = (await read(room)).messages;
    await Promise.all([block(reader, enemy), block(room.owner, enemy)]);
    const [of_reader, of_visitor, of_owner] = await Promise.all([
      listen(room, reader),
      listen(room),
      listen(room, room.owner),
    ]);
    await succeed(asked("POST", roomPath(room, `/messages/${message?.message_id}/pin`), room.owner));
    await say(room, reader, "見える言葉");
    for (const socket of [of_reader, of_visitor, of_owner]) await socket.until(() => socket.words.length === 1);
    const typesOf = ({ events }: Listener) => events.map(({ type }) => type);
    expect([of_reader, of_visitor, of_owner].map(typesOf)).toEqual([
      ["messages"],
      ["pinned", "messages"],
      ["pinned", "messages"],
    ]);
  });

  test("refuses words, however wide or high they are written, and whatever is hidden between their letters", async () => {
    const room = await openRoom();
    const fan = await addMember();
    await setRoom(room, { ng_words: ["Netabare", "ﾈﾀﾊﾞﾚ", "straße", "Netabare"] });
    const refused = ["ｎｅｔａＢＡＲＥ", "それはネタバレです", "ne\u200btabare", "STRASSE"];
    refused.push("ネタ\u{e0100}バレ", "ネタハ\ufe00\u3099レ");
    for (const words of refused) expect([words, await say(room, fan, words)]).toEqual([words, "chat_word_refused"]);
    expect(await say(room, fan, "ねたばれ")).toBe("201");
    expect(await say(room, room.owner, "ネタバレは禁止です")).toBe("201");
    const { room: own } = await succeed(asked("GET", roomPath(room), room.owner));
    expect(own.ng_words).toEqual(["Netabare", "ﾈﾀﾊﾞﾚ", "straße"]);
    expect((await succeed(asked("GET", roomPath(room), fan))).room.ng_words).toBeNull();
    await setRoom(room, {});
    expect(await say(room, fan, "ネタバレ")).toBe("201");
  });

  test("slows the others down", async () => {
    stopClock();
    const room = await openRoom();
    const [fan, other] = [await addMember(), await addMember()];
    await setRoom(room, { slow_mode_seconds: 30 });
    expect(await say(room, fan)).toBe("201");
    const refused = await product.ask(sayingOf(room, fan, "もうひとつ"));
    expect(problemOf(refused)).toBe("chat_slow_mode");
    const wait = Number(refused.headers.get("retry-after"));
    expect(wait).toBe(30);
    expect([await say(room, other), await say(room, room.owner), await say(room, room.owner)]).toEqual(
      Array(3).fill("201"),
    );
    await runSql(
      "UPDATE limited_acts SET acted_at = ? WHERE scope = ?",
      toIsoTime(Date.now() - 31_000),
      `radio_chat ${fan.user_id} ${room.radio_id}`,
    );
    expect(await say(room, fan)).toBe("201");
  });

  test("slows each radio by itself, also after the writer deletes the message", async () => {
    stopClock();
    const [room, other] = [await openRoom(), await openRoom()];
    const fan = await addMember();
    await setRoom(room, { slow_mode_seconds: 30 });
    expect(await say(other, fan)).toBe("201");
    expect(await say(room, fan)).toBe("201");
    const [message] = (await read(room)).messages;
    expect(await outcomeOf(asked("DELETE", roomPath(room, `/messages/${message?.message_id}`), fan))).toBe("204");
    expect(await say(room, fan)).toBe("chat_slow_mode");
  });
});

test("emoji are counted and shown, at most twenty in ten seconds from one person", async () => {
  stopClock();
  const room = await openRoom();
  const fan = await addMember();
  const socket = await listen(room);
  const react = (emoji: string) => outcomeOf(asked("POST", roomPath(room, "/reactions"), fan, { emoji }));
  expect(await react("🍕")).toBe("validation_failed");
  for (let n = 0; n < 20; n++) expect(await react("👏")).toBe("200");
  vi.setSystemTime(Date.now() + 9_900);
  expect(await react("👏")).toBe("too_many_requests");
  const { reactions } = (await succeed(asked("GET", roomPath(room)))).room;
  expect(reactions[0]).toEqual({ emoji: "👏", times: 20 });
  await socket.until(() => socket.events.length === 20);
  expect(socket.events.at(-1)).toEqual({ type: "reaction", emoji: "👏", times: 20 });
});

describe("a letter to the broadcaster", () => {
  const rooms = openChatRooms(env.RADIO_CHAT_ROOM);
  /** Dispatches the outbox, as the worker does after a request. */
  const dispatch = () => dispatchOutbox(dispatcherOf({ chat: rooms, now_ms: Date.now() }));

  /** Sends a free letter. Returns its id. */
  async function sendLetter({ owner }: Room, sender: Member, more: object = {}): Promise<string> {
    await runSql("UPDATE users SET accepts_free_ofuses = 1 WHERE user_id = ?", owner.user_id);
    const body = { receiver_user_id: owner.user_id, message: "ひみつの言葉", ...more };
    const { ofuse } = await succeed(asked("POST", "/v4/free_ofuses", sender, body));
    await dispatch();
    return ofuse.ofuse_id;
  }
  /** Delivers a letter that was paid for. Returns its id. */
  async function payLetter({ owner }: Room, more: Partial<PaidLetter> = {}): Promise<string> {
    const ofuse_id = newId(Date.now());
    const letter: PaidLetter = {
      ofuse_id,
      sender_user_id: null,
      receiver_user_id: owner.user_id,
      amount: 550,
      message: "ひみつの言葉",
      stamp_id: null,
      letter_appearance_id: null,
      donation_campaign_id: null,
      donation: 0,
      is_public: false,
      is_anonymous: false,
      guest_name: null,
      ...more,
    };
    const context = { database: openDatabase(d1), now_ms: Date.now() };
    await runBatch(d1, deliverStatements(context, letter, `sent ${ofuse_id}`));
    await dispatch();
    return ofuse_id;
  }

  test("has a line of its own among the messages, live and in the history, without its words", async () => {
    const room = await openRoom();
    const fan = await addMember();
    const socket = await listen(room);
    await say(room, fan, "前");
    const ofuse_id = await sendLetter(room, fan, { stamp_id: "cheer" });
    await say(room, fan, "後");
    await socket.until(() => socket.words.length === 3);
    const { messages } = await read(room);
    const live = socket.events.flatMap((event) => (event.type === "messages" ? event.messages : []));
    expect(messages).toEqual(live);
    expect(messages[1]).toMatchObject({
      user: { user_id: fan.user_id },
      message: expect.stringMatching(/^listener_\d+さんからofuseが届きました。$/),
      letter: { is_paid: false, amount: null, stamp: { stamp_id: "cheer", name: "応援してます" } },
    });
    expect(JSON.stringify(messages)).not.toMatch(/ひみつ/);
    expect(messages.map(({ letter }) => letter !== null)).toEqual([false, true, false]);

    // Delivered again, as after a crash between the room's write and the outbox's.
    await runSql("UPDATE outbox SET processed_at = NULL WHERE outbox_id = ?", `radio-letter-${ofuse_id}`);
    await dispatch();
    await Promise.all([0, 1].map(() => rooms.showLetter({ radio_id: room.radio_id, ofuse_id })));
    expect((await read(room)).messages).toEqual(messages);
  });

  test("shows its amount if it is public, and its sender unless they withheld their name", async () => {
    const room = await openRoom();
    const fan = await addMember();
    await payLetter(room, { sender_user_id: fan.user_id, is_public: true });
    await payLetter(room, { sender_user_id: fan.user_id, is_anonymous: true });
    await payLetter(room, { guest_name: "ゲストの名前", amount: 1100, is_public: true });
    const words = await wordsOf(room);
    expect(words[0]).toMatch(/^listener_\d+さんから550円のofuseが届きました。$/);
    expect(words.slice(1)).toEqual(["有料のofuseが届きました。", "1,100円のofuseが届きました。"]);
    expect((await read(room)).messages.map(({ user }) => user?.user_id ?? null)).toEqual([fan.user_id, null, null]);
  });

  test("does not name the sender of a private letter to those who hold the key of a radio", async () => {
    const { url_key, ...room } = await openRoom({ publish_target_type: "url" });
    const holder = { url_key: url_key ?? undefined };
    const fan = await addMember();
    const key = { ...room, url_key };
    await sendLetter(key, fan);
    await sendLetter(key, fan, { is_public: true });
    expect(await wordsOf(key, holder)).toEqual([
      "ofuseが届きました。",
      expect.stringMatching(/^listener_\d+さんからofuseが届きました。$/),
    ]);
    expect(await outcomeOf(asked("GET", messagesPath(room.radio_id), fan))).toBe("not_found");
  });

  test("has no line before and after the broadcast, while the chat is off, and when its sender is restricted", async () => {
    const owner = await addMember("owner");
    const { radio_id } = await addRadio(owner);
    const room = { owner, radio_id, url_key: null };
    const [fan, restricted, blocked] = await Promise.all([addMember(), addMember(), addMember()]);
    await sendLetter(room, fan);
    await startRadio(owner, radio_id);
    await Promise.all([restrict(owner, restricted), block(owner, blocked)]);
    await sendLetter(room, restricted);
    await payLetter(room, { sender_user_id: blocked.user_id });
    await changeRadio(owner, radio_id, { is_chat_on: false });
    await sendLetter(room, fan);
    await changeRadio(owner, radio_id, { is_chat_on: true });
    expect(await wordsOf(room)).toEqual([]);
    await finishRadio(owner, radio_id);
    await changeRadio(owner, radio_id, { recording_publish_target_type: "public" });
    await sendLetter(room, fan);
    expect(await wordsOf(room)).toEqual([]);
  });

  test("has a line when it is anonymous, also if its sender is restricted, blocked or disabled", async () => {
    const room = await openRoom();
    const [restricted, blocked, blocker] = await Promise.all([addMember(), addMember(), addMember()]);
    await Promise.all([restrict(room.owner, restricted), block(room.owner, blocked), block(blocker, room.owner)]);
    for (const sender of [restricted, blocked, blocker]) {
      await payLetter(room, { sender_user_id: sender.user_id, is_anonymous: true });
    }
    const words = Array(3).fill("有料のofuseが届きました。");
    expect(await wordsOf(room)).toEqual(words);
    await runSql("UPDATE users SET disabled_at = '2026-01-01T00:00:00.000Z' WHERE user_id = ?", blocked.user_id);
    expect(await wordsOf(room)).toEqual(words);
    await payLetter(room, { sender_user_id: blocked.user_id, is_anonymous: true });
    expect(await wordsOf(room)).toHaveLength(4);
  });

  test("is hidden from who blocked its sender, and from all once it is removed, hidden or its sender disabled", async () => {
    const room = await openRoom();
    const [fan, other] = await Promise.all([addMember(), addMember()]);
    const socket = await listen(room, other);
    await block(other, fan);
    const ofuse_id = await sendLetter(room, fan);
    expect([(await wordsOf(room, other)).length, (await wordsOf(room)).length]).toEqual([0, 1]);
    for (const column of ["removed_at", "hidden_at"]) {
      await runSql(`UPDATE ofuses SET ${column} = '2026-01-01T00:00:00.000Z' WHERE ofuse_id = ?`, ofuse_id);
      expect(await wordsOf(room)).toEqual([]);
      await runSql(`UPDATE ofuses SET ${column} = NULL WHERE ofuse_id = ?`, ofuse_id);
    }
    await runSql("UPDATE users SET disabled_at = '2026-01-01T00:00:00.000Z' WHERE user_id = ?", fan.user_id);
    expect(await wordsOf(room)).toEqual([]);
    await say(room, room.owner, "見えます");
    await socket.until(() => socket.words.length > 0);
    expect(socket.words).toEqual(["見えます"]);
  });

  test("is pinned and deleted by the broadcaster, and an anonymous one stays after a block", async () => {
    const room = await openRoom();
    const fan = await addMember();
    await payLetter(room, { sender_user_id: fan.user_id, is_anonymous: true });
    await block(room.owner, fan);
    const [line] = (await read(room, room.owner)).messages;
    const path = roomPath(room, `/messages/${line?.message_id}`);
    expect(await outcomeOf(asked("POST", `${path}/pin`, room.owner))).toBe("200");
    expect(await outcomeOf(asked("DELETE", path, fan))).toBe("not_found");
    expect(await outcomeOf(asked("DELETE", path, room.owner))).toBe("204");
    expect(await wordsOf(room)).toEqual([]);
  });

  test("is not lost when the room fails, and its notification does not wait", async () => {
    const room = await openRoom();
    const fan = await addMember();
    await runSql("UPDATE users SET accepts_free_ofuses = 1 WHERE user_id = ?", room.owner.user_id);
    const body = { receiver_user_id: room.owner.user_id, message: "ひみつの言葉" };
    await succeed(asked("POST", "/v4/free_ofuses", fan, body));
    const failing = { ...rooms, showLetter: () => Promise.reject(new Problem("unavailable")) };
    await dispatchOutbox(dispatcherOf({ chat: failing, now_ms: Date.now() }));
    const { results } = await d1
      .prepare("SELECT type FROM notifications WHERE user_id = ?")
      .bind(room.owner.user_id)
      .all();
    expect(results).toEqual([{ type: "get_free_ofuse" }]);
    expect(await wordsOf(room)).toEqual([]);
    await dispatch();
    expect(await wordsOf(room)).toHaveLength(1);
  });
});

describe("a room that fails", () => {
  const fail = () => Promise.reject(new Error("Durable Object is overloaded. Too many requests queued."));
  const broken = { getByName: () => ({ post: fail, countPeople: fail, fetch: fail }) };
  const namespace = broken as unknown as typeof env.RADIO_CHAT_ROOM;

  test("refuses messages and sockets with `unavailable`", async () => {
    const { owner, radio_id } = await openRoom();
    const post = { radio_id, user_id: owner.user_id, url_key_hash: null, message: "こんばんは", idempotency: null };
    await expect(openChatRooms(namespace).post(post)).rejects.toMatchObject({ code: "unavailable" });
    const { token } = await succeed(asked("POST", `/v4/radios/${radio_id}/chat_room_token`, owner));
    const query = new URLSearchParams({ token, radio_id });
    const request = new Request(`https://api.internal/chat?${query}`, { headers: { upgrade: "websocket" } });
    const bindings = { ...env, RADIO_CHAT_ROOM: namespace };
    await expect(answerChatSocket(request, Date.now(), bindings)).rejects.toMatchObject({ code: "unavailable" });
  });

  test("counts nobody, so that a token does not depend on the count", async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => logged.mockRestore());
    expect(await openChatRooms(namespace).countPeople("any")).toBe(0);
    expect(logged).toHaveBeenCalledOnce();
  });
});

describe("a token", () => {
  const statusOf = (radio_id: string, token: string) =>
    openSocket(radio_id, token).then(
      ({ status }) => String(status),
      ({ code }) => code as string,
    );

  test("is refused when it has expired, is altered, stripped or foreign", async () => {
    const [room, other] = [await openRoom(), await openRoom()];
    const { radio_id } = room;
    const fan = await addMember();
    const { token } = await succeed(asked("POST", `/v4/radios/${radio_id}/chat_room_token`, fan));
    expect(await statusOf(radio_id, token)).toBe("101");
    const { user_id } = fan;
    const sign_in = { sub: "sub", auth_time: 1, signInId: "sign-in" };
    const ticket: ChatTicket = { radio_id, user_id, sign_in, url_key_hash: null, holder: user_id };
    const sign = (expires_ms: number, key: string) => signChatToken(ticket, expires_ms, key);
    const bad = {
      expired: await sign(Date.now() - 1, env.MEDIA_KEY),
      "of another key": await sign(Date.now() + 60_000, "another key"),
      altered: token.replace(fan.user_id, room.owner.user_id),
      "longer lived": token.replace(/\.(\d+)\./, (_: string, at: string) => `.${Number(at) + 1}.`),
      stripped: token.split(".").slice(0, -1).join("."),
      empty: "",
    };
    for (const [name, each] of Object.entries(bad)) {
      expect([name, await statusOf(radio_id, each)]).toEqual([name, "token_invalid"]);
    }
    expect(await statusOf(other.radio_id, token)).toBe("token_invalid");
  });

  test("opens at most 32 sockets of one member, and the count returns to 0", async () => {
    const room = await openRoom();
    const path = `/v4/radios/${room.radio_id}/chat_room_token`;
    const fan = await addMember();
    const opened = [];
    for (let n = 0; n < 33; n++) opened.push(await listen(room, fan));
    const last = opened.at(-1);
    await last?.until(() => last.close_code !== undefined);
    const count = async () => (await succeed(asked("POST", path))).people_count;
    expect(last?.close_code).toBe(1013);
    expect(await count()).toBe(32);
    for (const each of opened) each.close();
    while ((await count()) > 0)
      await Promise.all(opened.map((each) => each.until(() => each.close_code !== undefined)));
    expect(await count()).toBe(0);
  });
});
