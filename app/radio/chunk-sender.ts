import {
  type ChunkHead,
  durationOf,
  encodeChunk,
  INGEST_CLOSED,
  type IngestMessage,
  type PutAnswer,
  type SoundChunk,
  TRACK_NAMES,
  type TrackName,
} from "../../workers/contract/sound-chunks.ts";
import type { BroadcastState, EndReason } from "./broadcast-state.ts";

/** How long sound is kept that the server has not acknowledged. The server ends a silent radio after the same time. */
const KEPT_MS = 5 * 60_000;
const RETRY_MS = [500, 1000, 2000, 4000, 8000, 15_000];
/** After so many sockets without a hello, chunks are sent by PUT: some networks let no WebSocket pass. */
const SOCKET_FAILURES = 2;
/** How often a socket is tried while PUT works. */
const SOCKET_RETRY_MS = 60_000;
/** A connection is lost when the server says nothing for so long. It answers each ping. */
const SILENCE_MS = 10_000;
const PING_MS = 4000;
/** The chunks that may be on their way: about ten seconds of both tracks. */
const MAX_ON_THE_WAY = 40;
/** What a refusal of a PUT means. */
const PUT_ENDS: Partial<Record<number, EndReason>> = { 404: "not_found", 409: "superseded" };
/** How often chunks are sent by PUT. */
const PUT_MS = 1000;

/** An open or opening connection to the server. */
export interface SoundSocket {
  send(data: Uint8Array<ArrayBuffer> | string): void;
  close(): void;
}

interface SocketEvents {
  onMessage(text: string): void;
  onClose(code: number): void;
}

/** The network, so that tests can replace it. */
export interface SoundNetwork {
  connect(path: string, events: SocketEvents): SoundSocket;
  /** Rejects when the server itself does not answer. `answer` is null unless the status is 200. */
  put(path: string, body: Uint8Array<ArrayBuffer>): Promise<{ status: number; answer: PutAnswer | null }>;
}

interface KeptChunk extends ChunkHead {
  bytes: Uint8Array<ArrayBuffer>;
  duration_ms: number;
  added_ms: number;
  /** Whether the present connection has sent it. */
  is_sent: boolean;
}

interface SenderOptions {
  network: SoundNetwork;
  path: string;
  onState(state: BroadcastState): void;
}

/**
 * Sends chunks to the server in their order, and keeps each until the server has stored it, for five minutes at most.
 * Connects again after a lost connection, and sends by PUT when sockets fail. A chunk never changes its number, so what
 * arrives twice is stored once.
 */
export class ChunkSender {
  readonly #network: SoundNetwork;
  readonly #onState: (state: BroadcastState) => void;
  #path: string;
  #kept: KeptChunk[] = [];
  #lost: Record<TrackName, number> = { opus: 0, aac: 0 };
  #socket: SoundSocket | null = null;
  /**
   * The number of the present socket. Events of earlier ones are ignored: the server closes a page's older socket as
   * superseded, and that does not mean this page.
   */
  #generation = 0;
  /** Whether the present socket has said hello. */
  #is_greeted = false;
  #is_putting = false;
  #may_put = false;
  #socket_tried_ms = 0;
  #heard_ms = 0;
  #failures = 0;
  #socket_failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  #state: BroadcastState = { kind: "connecting" };
  #onSettled: (() => void)[] = [];

  constructor({ network, path, onState }: SenderOptions) {
    this.#network = network;
    this.#path = path;
    this.#onState = onState;
  }

  get state(): BroadcastState {
    return this.#state;
  }

  /** Connects for the first time. */
  start(): void {
    this.#onState(this.#state);
    this.#connect();
    this.#watch = setInterval(() => this.#watchConnection(), PING_MS);
  }

  /** Sends a chunk, now or as soon as there is a connection. Does nothing after the end. */
  add(chunk: SoundChunk): void {
    if (this.#isEnded) return;
    const { track, epoch, seq, captured_ms, packets } = chunk;
    const duration_ms = durationOf(track, packets.length);
    const added_ms = performance.now();
    const bytes = encodeChunk(chunk);
    this.#kept.push({ track, epoch, seq, captured_ms, bytes, duration_ms, added_ms, is_sent: false });
    this.#giveUpOld(added_ms);
    this.#send();
    this.#showProgress();
  }

  /** Tries to connect now: the page was hidden or offline, and timers of hidden pages are late. */
  wake(): void {
    if (this.#retry === undefined || this.#isEnded) return;
    this.#failures = 0;
    this.#again(0);
  }

  /**
   * Waits until every chunk is acknowledged, for a time at most. Call it before the radio is finished, because a finished
   * radio takes no chunk.
   */
  async drain(timeout_ms: number): Promise<void> {
    if (this.#kept.length === 0 || this.#isEnded) return;
    await new Promise<void>((settle) => {
      const timer = setTimeout(settle, timeout_ms);
      this.#onSettled.push(() => {
        clearTimeout(timer);
        settle();
      });
    });
  }

  /** Ends the broadcast of this page, and sends nothing more. */
  end(reason: EndReason): void {
    if (this.#isEnded) return;
    clearTimeout(this.#retry);
    clearInterval(this.#watch);
    this.#dropSocket();
    this.#show({ kind: "ended", reason, unsent_s: this.#unsentSeconds(), lost_s: this.#lostSeconds() });
    this.#settle();
  }

  get #isEnded(): boolean {
    return this.#state.kind === "ended";
  }

  #connect(): void {
    this.#dropSocket();
    this.#socket_tried_ms = performance.now();
    this.#heard_ms = this.#socket_tried_ms;
    const generation = this.#generation;
    const isCurrent = () => generation === this.#generation;
    this.#socket = this.#network.connect(this.#path, {
      onMessage: (text) => isCurrent() && this.#hear(text),
      onClose: (code) => isCurrent() && this.#lose(code),
    });
  }

  #dropSocket(): void {
    this.#generation++;
    this.#socket?.close();
    this.#socket = null;
    this.#is_greeted = false;
    for (const chunk of this.#kept) chunk.is_sent = false;
  }

  #hear(text: string): void {
    this.#heard_ms = performance.now();
    if (text === "pong") return;
    const message = JSON.parse(text) as IngestMessage;
    if (message.type === "closed") this.end(message.reason);
    if (message.type === "renewed") this.#path = message.path;
    if (message.type === "ack") {
      this.#forget((chunk) => isSame(chunk, message));
      this.#send();
      this.#showProgress();
    }
    if (message.type !== "hello") return;
    this.#is_greeted = true;
    this.#may_put = false;
    this.#socket_failures = 0;
    this.#forget((chunk) => chunk.epoch === message.epoch && chunk.seq <= (message.stored[chunk.track] ?? -1));
    this.#beOnAir();
    this.#send();
  }

  #lose(code: number): void {
    const reason = closeReasonOf(code);
    if (reason) {
      this.end(reason);
      return;
    }
    if (!this.#is_greeted) this.#socket_failures++;
    this.#dropSocket();
    if (this.#socket_failures >= SOCKET_FAILURES) this.#may_put = true;
    this.#retryLater();
  }

  #retryLater(): void {
    this.#show({ kind: "reconnecting", unsent_s: this.#unsentSeconds(), lost_s: this.#lostSeconds() });
    const longest_ms = RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)] as number;
    this.#again(longest_ms / 2 + (Math.random() * longest_ms) / 2);
  }

  #again(ms: number): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      const is_socket_due = performance.now() - this.#socket_tried_ms >= SOCKET_RETRY_MS;
      if (this.#may_put && !is_socket_due) this.#put();
      else this.#connect();
    }, ms);
  }

  /** Finds a connection that died without a close. */
  #watchConnection(): void {
    const now_ms = performance.now();
    this.#giveUpOld(now_ms);
    if (!this.#socket) return;
    if (now_ms - this.#heard_ms > SILENCE_MS) this.#lose(0);
    else if (this.#is_greeted) this.#socket.send("ping");
  }

  #send(): void {
    if (!this.#is_greeted) return;
    let on_the_way = this.#kept.filter(({ is_sent }) => is_sent).length;
    for (const chunk of this.#kept) {
      if (on_the_way >= MAX_ON_THE_WAY) return;
      if (chunk.is_sent) continue;
      chunk.is_sent = true;
      on_the_way++;
      this.#socket?.send(chunk.bytes);
    }
  }

  /** Sends the oldest chunks by PUT, and continues every second. */
  async #put(): Promise<void> {
    const chunks = this.#kept.slice(0, MAX_ON_THE_WAY);
    if (this.#is_putting) return;
    if (chunks.length === 0) return this.#again(PUT_MS);
    this.#is_putting = true;
    const result = await this.#network.put(this.#path, joinChunks(chunks)).catch(() => null);
    this.#is_putting = false;
    if (this.#isEnded) return;
    if (!result || result.status >= 500 || result.status === 429) return this.#retryLater();
    if (!result.answer) return this.end(PUT_ENDS[result.status] ?? "refused");
    const { acked, path } = result.answer;
    this.#path = path;
    this.#forget((chunk) => acked.some((head) => isSame(chunk, head)));
    this.#beOnAir();
    this.#again(this.#kept.length > MAX_ON_THE_WAY ? 0 : PUT_MS);
  }

  #forget(isStored: (chunk: ChunkHead) => boolean): void {
    this.#kept = this.#kept.filter((chunk) => !isStored(chunk));
    if (this.#kept.length === 0) this.#settle();
  }

  #giveUpOld(now_ms: number): void {
    const old = this.#kept.filter(({ added_ms }) => now_ms - added_ms > KEPT_MS);
    for (const { track, duration_ms } of old) this.#lost[track] += duration_ms;
    if (old.length > 0) this.#kept = this.#kept.slice(old.length);
  }

  #settle(): void {
    for (const settle of this.#onSettled.splice(0)) settle();
  }

  #beOnAir(): void {
    this.#failures = 0;
    this.#show({ kind: "on_air", unsent_s: this.#unsentSeconds() });
  }

  #showProgress(): void {
    const { kind } = this.#state;
    const unsent_s = this.#unsentSeconds();
    if (kind === "on_air") this.#show({ kind, unsent_s });
    if (kind === "reconnecting") this.#show({ kind, unsent_s, lost_s: this.#lostSeconds() });
  }

  /** Shows a state unless the page shows the same. */
  #show(state: BroadcastState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#onState(state);
  }

  #unsentSeconds(): number {
    const totals = TRACK_NAMES.map((track) =>
      this.#kept.reduce((total, chunk) => total + (chunk.track === track ? chunk.duration_ms : 0), 0),
    );
    return Math.round(Math.max(...totals) / 1000);
  }

  #lostSeconds(): number {
    return Math.round(Math.max(...TRACK_NAMES.map((track) => this.#lost[track])) / 1000);
  }
}

const isSame = (one: ChunkHead, other: Pick<ChunkHead, "track" | "epoch" | "seq">) =>
  one.track === other.track && one.epoch === other.epoch && one.seq === other.seq;

/** Returns why the server closed the socket for good; null when the page shall connect again. */
function closeReasonOf(code: number): EndReason | null {
  const reasons = Object.keys(INGEST_CLOSED) as (keyof typeof INGEST_CLOSED)[];
  return reasons.find((reason) => INGEST_CLOSED[reason] === code) ?? null;
}

function joinChunks(chunks: readonly KeptChunk[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(chunks.reduce((length, { bytes }) => length + bytes.length, 0));
  let offset = 0;
  for (const { bytes } of chunks) {
    joined.set(bytes, offset);
    offset += bytes.length;
  }
  return joined;
}
