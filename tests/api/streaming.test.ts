/** Tests overlays: tokens, what they show of which letters, the order, replay, test letters, and many connections. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { deliverStatements, type PaidLetter } from "../../workers/api/ofuses/commands.ts";
import { foldText } from "../../workers/api/radio-chat/rules.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchOutbox } from "../../workers/api/storage/outbox.ts";
import { requireOverlay } from "../../workers/api/streaming/commands.ts";
import { openOverlayRooms } from "../../workers/api/streaming/rooms.ts";
import { type ArrivedLetter, createFilter } from "../../workers/api/streaming/rules.ts";
import { answerOverlayStream } from "../../workers/api/streaming/stream.ts";
import { URL_KEY_HEADER } from "../../workers/contract/radios.ts";
import { type OverlayNews, type OverlaySettings, overlaySettings } from "../../workers/contract/streaming.ts";
import { sha256Hex } from "../../workers/kernel/digest.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { Problem } from "../../workers/kernel/problem.ts";
import { runBatch } from "../../workers/storage/commit.ts";
import { stopClock } from "../support/stopped-clock.ts";
import { contextOf, d1, dispatcherOf } from "./support/context.ts";
import { addMember, block, type Member, outcomeOf, runSql, succeed, toIsoTime } from "./support/radios.ts";

const rooms = openOverlayRooms(env.OVERLAY_ROOM);
/** Dispatches the outbox, as the worker does after a request. */
const dispatch = () => dispatchOutbox(dispatcherOf({ overlays: rooms, now_ms: Date.now() }));

const rotate = async ({ token }: Member): Promise<string> =>
  (await succeed({ method: "PUT", path: "/v4/timeline_token", token })).token;
const setUp = ({ token }: Member, settings: Partial<OverlaySettings>) =>
  succeed({ method: "PUT", path: "/v4/my/streaming", token, body: settings });

/** Adds a creator who has made an address. */
async function addStreamer() {
  const owner = await addMember("streamer");
  return { owner, url_key: await rotate(owner) };
}

/** Delivers a letter, paid unless it says otherwise, and public. Returns its id. */
async function deliver(receiver: Member, more: Partial<PaidLetter> = {}): Promise<string> {
  const ofuse_id = newId(Date.now());
  const letter: PaidLetter = {
    ofuse_id,
    sender_user_id: null,
    receiver_user_id: receiver.user_id,
    amount: 550,
    message: "こんばんは",
    stamp_id: null,
    letter_appearance_id: null,
    donation_campaign_id: null,
    donation: 0,
    is_public: true,
    is_anonymous: false,
    guest_name: null,
    ...more,
  };
  await runBatch(d1, deliverStatements({ database: openDatabase(d1), now_ms: Date.now() }, letter, `sent ${ofuse_id}`));
  await dispatch();
  return ofuse_id;
}

const read = (url_key: string, after?: number): Promise<OverlayNews & { settings: OverlaySettings }> =>
  succeed({ method: "GET", path: `/v4/overlay${after === undefined ? "" : `?after=${after}`}`, url_key });
const messagesOf = ({ letters }: Pick<OverlayNews, "letters">) => letters.map(({ message }) => message);

/** A client of the events, which reads as a browser's EventSource does. */
class Client {
  readonly events: { event: string; id: string; data: string }[] = [];
  is_ended = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #text = "";

  constructor(response: Response) {
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader();
  }

  /** Reads until the condition holds; it is checked after each chunk. */
  async until(holds: () => boolean): Promise<void> {
    const decoder = new TextDecoder();
    while (!holds() && !this.is_ended) {
      const { done, value } = await this.#reader.read();
      if (done) this.is_ended = true;
      this.#text += decoder.decode(value);
      const parts = this.#text.split("\n\n");
      this.#text = parts.pop() ?? "";
      for (const part of parts) {
        const fields = Object.fromEntries(part.split("\n").map((line) => line.split(/: ?(.*)/s)));
        if (fields.event) this.events.push({ event: fields.event, id: fields.id ?? "", data: fields.data });
      }
    }
  }

  get messages(): (string | null)[] {
    return this.events.filter(({ event }) => event === "news").flatMap(({ data }) => messagesOf(JSON.parse(data)));
  }

  close = () => this.#reader.cancel();
}

const clients: Client[] = [];
async function connect(url_key: string, last_event_id?: string, namespace = env.OVERLAY_ROOM): Promise<Client> {
  const headers = { [URL_KEY_HEADER]: url_key, ...(last_event_id && { "last-event-id": last_event_id }) };
  const bearer = { database: openDatabase(d1), d1, now_ms: Date.now(), address_hash: null };
  const request = new Request("https://api.internal/overlay-stream", { headers });
  const client = new Client(await answerOverlayStream(request, bearer, namespace));
  clients.push(client);
  // The first news are those that were missed. From then on the client is in the room.
  await client.until(() => client.events.length > 0);
  return client;
}
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

describe("a token", () => {
  test("has 128 bits, is in no table, and the one before it is dead at once, also on open connections", async () => {
    const { owner, url_key } = await addStreamer();
    expect(url_key).toMatch(/^[\w-]{22}$/);
    const [old, other] = [await connect(url_key), await addStreamer()];
    const others = await connect(other.url_key);
    const next = await rotate(owner);
    await old.until(() => false);
    expect(old.events.at(-1)?.event).toBe("gone");
    expect(await outcomeOf({ method: "GET", path: "/v4/overlay", url_key })).toBe("not_found");
    expect(await outcomeOf({ method: "PUT", path: `/v4/live_heartbeat?id=a&token=${url_key}` })).toBe("not_found");
    await expect(connect(url_key)).rejects.toThrow(Problem);
    expect((await read(next)).letters).toEqual([]);
    await deliver(other.owner, { message: "まだ" });
    await others.until(() => others.messages.length === 1);
    expect([others.is_ended, others.messages]).toEqual([false, ["まだ"]]);
    const { results } = await d1.prepare("SELECT * FROM overlays WHERE user_id = ?").bind(owner.user_id).all();
    expect(JSON.stringify(results)).not.toContain(next);
    expect(results[0]?.token_hash).toBe(await sha256Hex(next));
  });

  test("is in the first answer of a repeated call alone, and in no kept answer", async () => {
    const owner = await addMember("streamer");
    const asked = { method: "PUT", path: "/v4/timeline_token", token: owner.token, key: "rotate-0001" };
    const first = await succeed(asked);
    const again = await succeed(asked);
    expect([again.token, again.created_at]).toEqual([null, first.created_at]);
    expect((await read(first.token)).letters).toEqual([]);
  });

  test("cannot be guessed for long from one address, where the right one still works", async () => {
    const { url_key } = await addStreamer();
    const bearer = { ...contextOf(null, { now_ms: Date.now() }), address_hash: newId(Date.now()) };
    const guess = (hash: string) => requireOverlay(bearer, hash).catch(({ code }) => code);
    for (let n = 0; n < 30; n++) expect(await guess(`guess ${n}`)).toBe("not_found");
    expect(await guess("guess 31")).toBe("too_many_requests");
    expect(await guess(await sha256Hex(url_key))).toMatchObject({ last_number: 0 });
  });
});

describe("an overlay shows", () => {
  test("paid and free letters in the order in which they were written, and says how far it has read", async () => {
    const { owner, url_key } = await addStreamer();
    const fan = await addMember("fan");
    await deliver(owner, { message: "一", sender_user_id: fan.user_id });
    await deliver(owner, { message: "二", amount: 0, sender_user_id: fan.user_id, stamp_id: "cheer" });
    await deliver(owner, { message: "三", guest_name: "旅人" });
    const { letters, last_number } = await read(url_key);
    expect(letters.map(({ number, amount, is_paid, message }) => [number, amount, is_paid, message])).toEqual([
      [1, 550, true, "一"],
      [2, null, false, "二"],
      [3, 550, true, "三"],
    ]);
    expect(letters.map(({ sender_name }) => sender_name)).toEqual([
      expect.stringMatching(/^fan_/),
      expect.stringMatching(/^fan_/),
      "旅人",
    ]);
    expect(letters[1]?.stamp).toEqual({ stamp_id: "cheer", name: "応援してます" });
    expect(last_number).toBe(3);
    expect(messagesOf(await read(url_key, 2))).toEqual(["三"]);
    expect(await read(url_key, 3)).toMatchObject({ letters: [], last_number: 3 });
  });

  test("neither words nor amount of a letter that is not public, and no name of an anonymous one", async () => {
    const { owner, url_key } = await addStreamer();
    const fan = await addMember("fan");
    await deliver(owner, { message: "ひみつ", sender_user_id: fan.user_id, is_public: false });
    await deliver(owner, { message: "ひみつ", guest_name: "名乗った名前", is_public: false });
    await deliver(owner, { sender_user_id: fan.user_id, is_anonymous: true });
    const news = await read(url_key);
    expect(JSON.stringify(news)).not.toMatch(/ひみつ|名乗った名前/);
    expect(news.letters.map(({ sender_name, amount, message }) => [sender_name, amount, message])).toEqual([
      [expect.stringMatching(/^fan_/), null, null],
      ["ゲスト", null, null],
      [null, 550, "こんばんは"],
    ]);
    await setUp(owner, { hides_names: true });
    const hidden = await read(url_key);
    expect(new Set(hidden.letters.flatMap(({ sender_name, icon_url }) => [sender_name, icon_url]))).toEqual(
      new Set([null]),
    );
  });

  test("no letter that was reported, removed or hidden, and none of blocked, reported and disabled people", async () => {
    const { owner, url_key } = await addStreamer();
    const [blocked, reported, disabled, fan] = await Promise.all(
      ["blocked", "reported", "disabled", "fan"].map((name) => addMember(name)),
    );
    for (const { user_id } of [blocked, reported, disabled, fan] as Member[])
      await deliver(owner, { sender_user_id: user_id });
    const of_reported = await deliver(owner, { sender_user_id: (reported as Member).user_id });
    const removed = await deliver(owner, { guest_name: "消された" });
    const hidden = await deliver(owner, { guest_name: "外された" });
    for (const sender of [blocked, disabled]) {
      await deliver(owner, { sender_user_id: (sender as Member).user_id, is_anonymous: true, message: "匿名です" });
    }
    await block(owner, blocked as Member);
    await runSql(
      `INSERT INTO reports (report_id, reporter_user_id, subject_type, subject_id, subject_user_id, reason, created_at)
       VALUES (?, ?, 'ofuse', ?, ?, 'slander', ?)`,
      ...[newId(Date.now()), owner.user_id, of_reported, (reported as Member).user_id, toIsoTime(Date.now())],
    );
    await runSql(
      "UPDATE users SET disabled_at = ? WHERE user_id = ?",
      toIsoTime(Date.now()),
      (disabled as Member).user_id,
    );
    await runSql("UPDATE ofuses SET is_public = 0, removed_at = ? WHERE ofuse_id = ?", toIsoTime(Date.now()), removed);
    await runSql("UPDATE ofuses SET hidden_at = ? WHERE ofuse_id = ?", toIsoTime(Date.now()), hidden);
    const { letters, last_number } = await read(url_key);
    // The anonymous ones stay: their absence would tell who sent them.
    expect(letters.map(({ number, sender_name }) => [number, sender_name])).toEqual([
      [4, expect.stringMatching(/^fan_/)],
      [8, null],
      [9, null],
    ]);
    expect(last_number).toBe(9);
    await runSql("UPDATE users SET disabled_at = ? WHERE user_id = ?", toIsoTime(Date.now()), owner.user_id);
    expect(await outcomeOf({ method: "GET", path: "/v4/overlay", url_key })).toBe("not_found");
  });

  test("the goal with all paid letters since its day, and the latest and the largest letter of today", async () => {
    stopClock();
    const { owner, url_key } = await addStreamer();
    const fan = await addMember("fan");
    await setUp(owner, {
      goal_title: "新しいマイク",
      goal_amount: 3000,
      goal_from: "2026-01-01",
      shows_latest: true,
      shows_best: true,
    });
    const old = await deliver(owner, { amount: 1000, message: "前の年" });
    await runSql("UPDATE ofuses SET created_at = '2025-12-31T00:00:00.000Z' WHERE ofuse_id = ?", old);
    await runSql("UPDATE overlay_letters SET created_at = '2025-12-31T00:00:00.000Z' WHERE ofuse_id = ?", old);
    await deliver(owner, { amount: 1100, message: "いちばん大きい" });
    await deliver(owner, { amount: 5000, message: "ひみつ", is_public: false });
    await deliver(owner, { amount: 0, message: "いちばん新しい", sender_user_id: fan.user_id });
    const { goal, latest, best } = await read(url_key);
    expect(goal).toEqual({ title: "新しいマイク", amount: 3000, total: 6100 });
    expect([latest?.message, best?.message]).toEqual(["いちばん新しい", "いちばん大きい"]);
  });
});

test("the settings choose by kind, amount, stamp and NG words, and let every test letter pass", () => {
  const letter: ArrivedLetter = {
    number: 1,
    amount: 550,
    message: "ＮＥＴＡばれです",
    stamp_id: "tea",
    sender: { name: "たろう", icon_url: null },
    guest_name: null,
    is_public: true,
    is_anonymous: false,
    is_test: false,
    created_at: "2026-11-20T03:00:00.000Z",
  };
  const shows = (settings: Partial<OverlaySettings>, more: Partial<ArrivedLetter> = {}) =>
    createFilter(overlaySettings.parse(settings), foldText)({ ...letter, ...more });
  expect(shows({})).toBe(true);
  expect([shows({ shown_letters: "free" }), shows({ shown_letters: "free" }, { amount: 0 })]).toEqual([false, true]);
  expect([shows({ shown_letters: "paid" }), shows({ shown_letters: "paid" }, { amount: 0 })]).toEqual([true, false]);
  expect([shows({ min_amount: 550 }), shows({ min_amount: 551 })]).toEqual([true, false]);
  expect(shows({ min_amount: 551 }, { amount: 0 })).toBe(true);
  expect([shows({ stamp_ids: ["tea"] }), shows({ stamp_ids: ["clap"] })]).toEqual([true, false]);
  expect(shows({ stamp_ids: ["clap"] }, { stamp_id: null })).toBe(false);
  expect([shows({ ng_words: ["netaばれ"] }), shows({ ng_words: ["たろう"] })]).toEqual([false, false]);
  expect(shows({ ng_words: ["たろう"] }, { is_anonymous: true })).toBe(true);
  const strict = { shown_letters: "free", ng_words: ["たろう"], stamp_ids: ["clap"] } as const;
  expect(shows({ ...strict, ng_words: ["たろう"], stamp_ids: ["clap"] }, { is_test: true })).toBe(true);
});

describe("a test letter", () => {
  const send = ({ token }: Member, body: object = {}) =>
    outcomeOf({ method: "POST", path: "/v4/test_ofuses", token, body });

  test("is on the overlay, and in no other table, export or sum", async () => {
    const { owner, url_key } = await addStreamer();
    await setUp(owner, { goal_amount: 1000, shown_letters: "free", shows_latest: true, shows_best: true });
    const client = await connect(url_key);
    const countRows = async () => {
      const { results } = await d1
        .prepare(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'",
        )
        .all<{ name: string }>();
      const counts = await Promise.all(
        results.map(({ name }) => d1.prepare(`SELECT COUNT(*) AS rows FROM ${name}`).first<{ rows: number }>()),
      );
      return Object.fromEntries(results.map(({ name }, n) => [name, counts[n]?.rows]));
    };
    await dispatch();
    const before = await countRows();
    expect(await send(owner, { amount: 1100, message: "試しの言葉" })).toBe("204");
    await dispatch();
    await client.until(() => client.messages.length > 0);
    expect(client.messages).toEqual(["試しの言葉"]);
    expect(await read(url_key)).toMatchObject({
      letters: [{ is_test: true, amount: 1100, sender_name: "ファン" }],
      goal: { total: 0 },
      latest: null,
      best: null,
    });
    const after = await countRows();
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect(changed.sort()).toEqual(["limited_acts", "outbox", "overlay_letters"]);
  });

  test("needs an address, and an amount that could be paid", async () => {
    const owner = await addMember("streamer");
    expect(await send(owner)).toBe("not_found");
    await rotate(owner);
    expect(await send(owner, { amount: 50 })).toBe("validation_failed");
    expect(await send(owner, { amount: 100 })).toBe("204");
  });
});

test("a heartbeat writes at most once in 30 seconds, and the list has the overlays that are open", async () => {
  stopClock();
  const { owner, url_key } = await addStreamer();
  const beat = (id: string) => outcomeOf({ method: "PUT", path: `/v4/live_heartbeat?id=${id}&token=${url_key}` });
  const rows = async () =>
    (await d1.prepare("SELECT * FROM overlay_heartbeats WHERE user_id = ?").bind(owner.user_id).all()).results;
  const openNow = async () =>
    (await succeed({ method: "GET", path: "/v4/my/streaming", token: owner.token })).open_overlays.map(
      ({ kind }: { kind: string }) => kind,
    );
  expect(await beat("box")).toBe("204");
  const first = await rows();
  // A second write would have another moment.
  vi.setSystemTime(Date.now() + 29_000);
  expect(await beat("box")).toBe("204");
  expect(await rows()).toEqual(first);
  const move = (id: string, seconds: number) =>
    runSql(
      "UPDATE overlay_heartbeats SET seen_at = ? WHERE overlay_id = ? AND user_id = ?",
      toIsoTime(Date.now() - seconds * 1000),
      id,
      owner.user_id,
    );
  await move("box", 31);
  const moved = (await rows())[0]?.seen_at;
  await beat("box");
  expect((await rows())[0]?.seen_at).not.toBe(moved);
  await beat("timeline-1");
  expect(await openNow()).toEqual(["alerts", "timeline"]);
  await move("timeline-1", 91);
  expect(await openNow()).toEqual(["alerts"]);
  for (let n = 0; n < 25; n++) await beat(`many-${n}`);
  expect(await rows()).toHaveLength(20);
});

describe("a connection", () => {
  test("gets each letter once, and after a drop those that it missed", async () => {
    const { owner, url_key } = await addStreamer();
    await deliver(owner, { message: "前" });
    const client = await connect(url_key);
    await deliver(owner, { message: "一" });
    await client.until(() => client.messages.length === 1);
    await client.close();
    await deliver(owner, { message: "二" });
    await deliver(owner, { message: "三" });
    const again = await connect(url_key, client.events.at(-1)?.id);
    await deliver(owner, { message: "四" });
    await again.until(() => again.messages.length === 3);
    expect([client.messages, again.messages]).toEqual([["一"], ["二", "三", "四"]]);
    // Delivered again, as after a crash between the room and the mark on the row.
    await runSql(
      "UPDATE outbox SET processed_at = NULL WHERE kind = 'overlay_letter_arrived' AND payload LIKE ?",
      `%${owner.user_id}%`,
    );
    await dispatch();
    await deliver(owner, { message: "五" });
    await again.until(() => again.messages.length === 4);
    expect(again.messages).toEqual(["二", "三", "四", "五"]);
  });

  test("reads itself what the room did not send", async () => {
    const { owner, url_key } = await addStreamer();
    const client = await connect(url_key);
    const [first, second] = [newId(Date.now()), newId(Date.now())];
    // Two letters whose rows are dispatched in the wrong order, and to a room that has just woken.
    for (const ofuse_id of [first, second])
      await runSql(
        `INSERT INTO ofuses (ofuse_id, receiver_user_id, amount, message, is_public, created_at)
         VALUES (?, ?, 550, ?, 1, ?)`,
        ...[ofuse_id, owner.user_id, ofuse_id, toIsoTime(Date.now())],
      );
    await rooms.announce(owner.user_id, 2);
    await rooms.announce(owner.user_id, 1);
    await client.until(() => client.messages.length === 2);
    expect(client.messages).toEqual([first, second]);
  });

  test("is refused with `unavailable` while the room fails, so that it connects again", async () => {
    const { url_key } = await addStreamer();
    const fetch = () => Promise.reject(new Error("Durable Object is overloaded. Too many requests queued."));
    const broken = { getByName: () => ({ fetch }) } as unknown as typeof env.OVERLAY_ROOM;
    await expect(connect(url_key, undefined, broken)).rejects.toMatchObject({ code: "unavailable" });
  });

  test("reaches 500 clients of one person, once and in order", async () => {
    const { owner, url_key } = await addStreamer();
    const crowd = await Promise.all(Array.from({ length: 500 }, () => connect(url_key)));
    await deliver(owner, { message: "一" });
    await deliver(owner, { message: "二" });
    await Promise.all(crowd.map((client) => client.until(() => client.messages.length === 2)));
    expect(new Set(crowd.map(({ messages }) => messages.join()))).toEqual(new Set(["一,二"]));
  });
});
