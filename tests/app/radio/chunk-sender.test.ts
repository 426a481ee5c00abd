import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type BroadcastState, broadcastWords, delayedSeconds, endWords } from "../../../app/radio/broadcast-state.ts";
import { ChunkSender, type SoundNetwork } from "../../../app/radio/chunk-sender.ts";
import { networkTo } from "../../../app/radio/network.ts";
import {
  type ChunkHead,
  decodeChunks,
  INGEST_CLOSED,
  type IngestMessage,
  type PutAnswer,
  type TrackName,
} from "../../../workers/contract/sound-chunks.ts";

const EPOCH = 3;

/** One socket of the page, as the server sees it. */
interface OpenedSocket {
  path: string;
  chunks: ChunkHead[];
  pings: number;
  is_closed: boolean;
  say(message: IngestMessage): void;
  pong(): void;
  close(code: number): void;
}

interface SentPut {
  path: string;
  chunks: ChunkHead[];
  answer(status: number, answer?: PutAnswer): void;
  fail(): void;
}

const headsOf = (bytes: Uint8Array): ChunkHead[] =>
  decodeChunks(bytes).map(({ track, epoch, seq, captured_ms }) => ({ track, epoch, seq, captured_ms }));
const numbersOf = (chunks: readonly ChunkHead[] | undefined) => chunks?.map(({ track, seq }) => `${track} ${seq}`);

let sockets: OpenedSocket[] = [];
let puts: SentPut[] = [];
let states: BroadcastState[] = [];

const network: SoundNetwork = {
  connect(path, { onMessage, onClose }) {
    const socket: OpenedSocket = {
      path,
      chunks: [],
      pings: 0,
      is_closed: false,
      say: (message) => onMessage(JSON.stringify(message)),
      pong: () => onMessage("pong"),
      close: onClose,
    };
    sockets.push(socket);
    return {
      send(data) {
        if (typeof data === "string") socket.pings++;
        else socket.chunks.push(...headsOf(data));
      },
      close: () => {
        socket.is_closed = true;
      },
    };
  },
  put: (path, body) =>
    new Promise((answer, fail) => {
      puts.push({
        path,
        chunks: headsOf(body),
        answer: (status, given) => answer({ status, answer: given ?? null }),
        fail: () => fail(new TypeError("offline")),
      });
    }),
};

/** Returns a sender whose first socket is open. */
function newSender() {
  const sender = new ChunkSender({ network, path: "/media/live/first/ingest", onState: (state) => states.push(state) });
  sender.start();
  return sender;
}
const hello = (opus: number | null = null, aac: number | null = null) =>
  sockets.at(-1)?.say({ type: "hello", epoch: EPOCH, stored: { opus, aac } });
const ack = (track: TrackName, seq: number) => sockets.at(-1)?.say({ type: "ack", track, epoch: EPOCH, seq });
/** Adds a chunk of half a second. */
const add = (sender: ChunkSender, seq: number, track: TrackName = "opus") => {
  const packets = Array.from({ length: 25 }, () => Uint8Array.of(seq, 2, 3));
  sender.add({ track, epoch: EPOCH, seq, captured_ms: seq * 500, packets });
};
const range = (from: number, end: number) => Array.from({ length: end - from }, (_, index) => from + index);
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  [sockets, puts, states] = [[], [], []];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

describe("the sender of a broadcast", () => {
  test("sends what was said before the connection was open, once and in its order", () => {
    const sender = newSender();
    for (const seq of [0, 1]) {
      add(sender, seq);
      add(sender, seq, "aac");
    }
    expect(sockets[0]?.chunks).toEqual([]);
    hello();
    add(sender, 2);
    expect(numbersOf(sockets[0]?.chunks)).toEqual(["opus 0", "aac 0", "opus 1", "aac 1", "opus 2"]);
    expect(states.map(({ kind }) => kind)).toContain("on_air");
  });

  test("sends everything that is not acknowledged again after a reconnect, under the same numbers and in order", async () => {
    const sender = newSender();
    hello();
    for (const seq of range(0, 4)) add(sender, seq);
    ack("opus", 0);
    ack("opus", 2);
    sockets[0]?.close(1006);
    add(sender, 4);
    expect(states.at(-1)).toEqual({ kind: "reconnecting", unsent_s: 2, lost_s: 0 });
    await pass(500);
    expect(sockets).toHaveLength(2);
    hello(0);
    expect(sockets[1]?.chunks).toEqual(
      [1, 3, 4].map((seq) => expect.objectContaining({ seq, captured_ms: seq * 500 })),
    );
  });

  test("forgets what the server has although the acknowledgement was lost", async () => {
    const sender = newSender();
    hello();
    for (const seq of range(0, 3)) add(sender, seq);
    add(sender, 0, "aac");
    sockets[0]?.close(1006);
    await pass(500);
    hello(1, null);
    expect(numbersOf(sockets[1]?.chunks)).toEqual(["opus 2", "aac 0"]);
  });

  test("tells how many seconds are not sent, and that all is well again", async () => {
    const sender = newSender();
    hello();
    sockets[0]?.close(1006);
    for (const seq of range(0, 8)) add(sender, seq);
    expect(broadcastWords(sender.state)).toBe("接続し直しています。4秒分の音声は、つながりしだい送ります。");
    await pass(500);
    hello();
    for (const seq of range(0, 8)) ack("opus", seq);
    expect(broadcastWords(sender.state)).toBe("放送中です。");
  });

  test("finds a connection that died silently, and one whose server only answers pings alive", async () => {
    const sender = newSender();
    hello();
    for (let second = 0; second < 60; second += 4) {
      await pass(4000);
      sockets[0]?.pong();
    }
    expect([sockets.length, (sockets[0]?.pings ?? 0) > 10]).toEqual([1, true]);
    await pass(16_000);
    expect(sockets.length).toBeGreaterThan(1);
    expect(sockets[0]?.is_closed).toBe(true);
    sender.end("ended");
  });

  test("waits longer after each failure", async () => {
    const sender = newSender();
    hello();
    const opened_ms: number[] = [];
    for (let failure = 0; failure < 2; failure++) {
      const [before, began_ms] = [sockets.length, performance.now()];
      sockets.at(-1)?.close(1006);
      while (sockets.length === before) await pass(10);
      opened_ms.push(performance.now() - began_ms);
    }
    expect(opened_ms[0]).toBeLessThanOrEqual(510);
    expect(opened_ms[1]).toBeGreaterThanOrEqual(500);
    sender.end("ended");
  });

  test("keeps five minutes of sound, gives up what is older, and says so", async () => {
    const sender = newSender();
    hello();
    sockets[0]?.close(1006);
    add(sender, 0);
    add(sender, 1);
    await pass(299_000);
    for (const seq of range(2, 6)) add(sender, seq);
    await pass(2000);
    add(sender, 6);
    expect(sender.state).toEqual({ kind: "reconnecting", unsent_s: 3, lost_s: 1 });
    sender.end("ended");
  });

  test("sends a long backlog piece by piece, and never the same chunk twice on one connection", async () => {
    const sender = newSender();
    for (const seq of range(0, 100)) add(sender, seq);
    hello();
    const at_once = sockets[0]?.chunks.length ?? 0;
    expect(at_once).toBeLessThan(100);
    for (const seq of range(0, 100)) ack("opus", seq);
    expect(sockets[0]?.chunks.map(({ seq }) => seq)).toEqual(range(0, 100));
    expect(sender.state).toEqual({ kind: "on_air", unsent_s: 0 });
  });

  test.each(["superseded", "finished", "refused"] as const)("stops when the server says %s", async (reason) => {
    const sender = newSender();
    hello();
    sockets[0]?.say({ type: "closed", reason });
    add(sender, 0);
    await pass(60_000);
    expect(sender.state).toMatchObject({ kind: "ended", reason });
    expect([sockets.length, sockets[0]?.chunks, sockets[0]?.is_closed]).toEqual([1, [], true]);
  });

  test("stops at the close code of a newer page when its announcement was lost", async () => {
    const sender = newSender();
    hello();
    sockets[0]?.close(INGEST_CLOSED.superseded);
    await pass(60_000);
    expect(sender.state).toMatchObject({ kind: "ended", reason: "superseded" });
    expect(sockets).toHaveLength(1);
  });

  test("continues when the server replaces an older socket of the same page", async () => {
    const sender = newSender();
    hello();
    sockets[0]?.close(1006);
    await pass(500);
    hello();
    sockets[0]?.say({ type: "closed", reason: "superseded" });
    sockets[0]?.close(INGEST_CLOSED.superseded);
    add(sender, 0);
    expect(sender.state.kind).toBe("on_air");
    expect(numbersOf(sockets[1]?.chunks)).toEqual(["opus 0"]);
  });

  test("connects with the renewed address", async () => {
    newSender();
    hello();
    sockets[0]?.say({ type: "renewed", path: "/media/live/second/ingest", expires_at: "2026-11-23T00:00:00.000Z" });
    sockets[0]?.close(1006);
    await pass(500);
    expect(sockets[1]?.path).toBe("/media/live/second/ingest");
  });

  test("sends by PUT when sockets fail, each time to the address of the last answer", async () => {
    const sender = newSender();
    for (const seq of range(0, 3)) add(sender, seq);
    sockets[0]?.close(1006);
    await pass(500);
    sockets[1]?.close(1006);
    await pass(1000);
    expect(puts.map(({ path, chunks }) => [path, numbersOf(chunks)])).toEqual([
      ["/media/live/first/ingest", ["opus 0", "opus 1", "opus 2"]],
    ]);
    const acked = [0, 1].map((seq) => ({ track: "opus" as const, epoch: EPOCH, seq }));
    puts[0]?.answer(200, { acked, path: "/media/live/second/ingest", expires_at: "2026-11-23T00:00:00.000Z" });
    await pass(1000);
    expect([puts[1]?.path, numbersOf(puts[1]?.chunks)]).toEqual(["/media/live/second/ingest", ["opus 2"]]);
    expect(sender.state).toEqual({ kind: "on_air", unsent_s: 1 });
    puts[1]?.fail();
    await pass(0);
    expect(sender.state.kind).toBe("reconnecting");
    await pass(500);
    expect(numbersOf(puts[2]?.chunks)).toEqual(["opus 2"]);
    puts[2]?.answer(404);
    await pass(0);
    expect(sender.state).toEqual({ kind: "ended", reason: "not_found", unsent_s: 1, lost_s: 0 });
  });

  test.each([
    [404, "not_found"],
    [409, "superseded"],
    [400, "refused"],
  ])("ends when PUT is answered with %i, as %s", async (status, reason) => {
    const sender = newSender();
    for (let attempt = 0; attempt < 2; attempt++) {
      sockets[attempt]?.close(1006);
      await pass(1000);
    }
    add(sender, 0);
    await pass(1000);
    puts[0]?.answer(status);
    await pass(0);
    expect(sender.state).toMatchObject({ kind: "ended", reason });
  });

  test.each([
    ["a gateway's page", 404, "text/html"],
    ["a gateway's page", 413, "text/html"],
    ["a captive network's page", 200, "text/html"],
    ["JSON that is no problem of ours", 403, "application/json"],
  ])("keeps its sound, and sends it again, when PUT is answered with %s and %i", async (_, status, content_type) => {
    const bodies: Uint8Array[] = [];
    const acked = [{ track: "opus" as const, epoch: EPOCH, seq: 0 }];
    const stored: PutAnswer = { acked, path: "/media/live/second/ingest", expires_at: "2026-11-23T00:00:00.000Z" };
    vi.stubGlobal("fetch", async (_: string, { body }: { body: Uint8Array }) => {
      bodies.push(body);
      return bodies.length > 1
        ? Response.json(stored)
        : new Response("<p>?</p>", { status, headers: { "content-type": content_type } });
    });
    const { put } = networkTo("https://ofuse.example");
    const onState = (state: BroadcastState) => states.push(state);
    const sender = new ChunkSender({ network: { ...network, put }, path: "/media/live/first/ingest", onState });
    sender.start();
    add(sender, 0);
    for (let attempt = 0; attempt < 2; attempt++) {
      sockets[attempt]?.close(1006);
      await pass(1000);
    }
    await pass(2000);
    vi.unstubAllGlobals();
    expect(bodies.slice(0, 2).map((body) => numbersOf(headsOf(body)))).toEqual([["opus 0"], ["opus 0"]]);
    expect(sender.state).toEqual({ kind: "on_air", unsent_s: 0 });
    sender.end("ended");
  });

  test("learns from the server itself that a PUT is refused", async () => {
    const headers = { "content-type": "application/problem+json" };
    vi.stubGlobal("fetch", async () => new Response('{"code":"not_found"}', { status: 404, headers }));
    const answered = await networkTo("https://ofuse.example").put("/media/live/first/ingest", new Uint8Array());
    vi.unstubAllGlobals();
    expect(answered).toEqual({ status: 404, answer: null });
  });

  test("waits at the end until the last words are stored", async () => {
    const sender = newSender();
    hello();
    add(sender, 0);
    const drained = vi.fn();
    void sender.drain(20_000).then(drained);
    await pass(1000);
    expect(drained).not.toHaveBeenCalled();
    ack("opus", 0);
    await pass(0);
    expect(drained).toHaveBeenCalledOnce();
  });

  test("says at the end what could not be sent", async () => {
    const sender = newSender();
    for (const seq of range(0, 4)) add(sender, seq);
    const drained = sender.drain(20_000);
    await pass(20_000);
    await drained;
    sender.end("ended");
    expect(broadcastWords(sender.state)).toBe("放送を終えました。2秒分の音声は送れませんでした。");
  });

  test.each([
    ["ended", 0, 0, null],
    ["ended", 90, 0, "放送を終えました。90秒分の音声は送れませんでした。"],
    ["ended", 0, 7, "放送を終えました。7秒分の音声は送れませんでした。"],
    ["finished", 0, 0, "このラジオは終了しました。"],
    ["finished", 200, 100, "このラジオは終了しました。300秒分の音声は送れませんでした。"],
  ] as const)("an end as %s with %i seconds unsent and %i lost says: %s", (reason, unsent_s, lost_s, words) => {
    expect(endWords({ kind: "ended", reason, unsent_s, lost_s })).toBe(words);
  });

  test("counts sound as delayed when more is unsent than is usually on its way", () => {
    expect([0, 3, 4, 90].map((unsent_s) => delayedSeconds({ unsent_s }))).toEqual([0, 0, 4, 90]);
  });
});
