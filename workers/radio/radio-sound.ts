import { DurableObject } from "cloudflare:workers";
import { type FinishedRadio, type LiveStatus, MAX_RADIO_MS, SIGNAL_TIMEOUT_MS } from "../contract/live-engine.ts";
import {
  decodeChunks,
  durationOf,
  INGEST_CLOSED,
  type IngestMessage,
  MAX_PUT_BYTES,
  MalformedChunk,
  type PutAnswer,
  type StoredChunk,
  TRACK_NAMES,
  type TrackName,
} from "../contract/sound-chunks.ts";
import { isoTime } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import { logUnexpected } from "../kernel/log.ts";
import { AwaitedSegments, NO_SEGMENT } from "./awaited-segments.ts";
import { toAdts } from "./containers/adts.ts";
import { tracks } from "./containers/track.ts";
import { grantIngest, INGEST_RENEWAL_MS } from "./grants.ts";
import { LiveTrack } from "./live-track.ts";
import { answerRange } from "./progressive.ts";
import { recordingKey, writeRecording } from "./recording.ts";
import { SoundRing } from "./sound-ring.ts";
import { type Amount, type KeptChunk, type RadioRow, SoundStore } from "./store.ts";

/** Sound may arrive this much faster than time passes: a phone's audio clock is not exact. */
const AMOUNT_SLACK_MS = 30_000;
/** Chunks per second of each track, on the average. A page sends two. */
const CHUNKS_PER_SECOND = 4;
/** How far the capture time of a chunk may be from what its arrival suggests: a page sends again for five minutes. */
const CAPTURE_SLACK_MS = 6 * 60_000;
/** How long a listener counts after a request. */
const LISTENER_MS = 30_000;
const MAX_COUNTED_LISTENERS = 100_000;
const MAX_STREAMS = 500;
/** How often silence is added while streams are open, or segments are awaited. */
const TICK_MS = 1000;
/** The packets of a block of the stream: half a second. */
const BLOCK_PACKETS = 24;
/** How long the live segments stay after the end, for listeners who are behind. */
const LIVE_AFTER_END_MS = 2 * 60_000;
/** The waits between attempts to write a recording. The last one repeats. */
const RETRY_MS = [1000, 5000, 30_000, 5 * 60_000];

/** What an accepted socket remembers while the object hibernates. */
interface Attached {
  epoch: number;
  renewed_ms: number;
}

type IngestRefusal = keyof typeof INGEST_CLOSED;
type Taken = Pick<PutAnswer, "acked"> | { refused: IngestRefusal };

/**
 * The sound of one radio, by the radio's id. Takes chunks, keeps them in SQLite, and serves the live output. When the
 * radio ends, the object writes the recording, and deletes the chunks.
 */
export class RadioSound extends DurableObject<RadioEnv> {
  readonly #store: SoundStore;
  #radio: RadioRow | null;
  #live: LiveTrack[] = [];
  #ring = new SoundRing();
  readonly #awaited = new AwaitedSegments();
  /** When each listener was last seen. */
  readonly #listeners = new Map<string, number>();
  readonly #amounts = new Map<TrackName, Amount>();
  /** The chunk of each epoch that arrived first. */
  readonly #firsts = new Map<number, Pick<KeptChunk, "captured_ms" | "received_ms">>();
  /** For each epoch, how far our clock is ahead of the page's. */
  readonly #offsets: Map<number, number>;
  #received_ms: number;
  #ticking: ReturnType<typeof setInterval> | undefined;
  #is_recording = false;
  #attempts = 0;

  constructor(context: DurableObjectState, env: RadioEnv) {
    super(context, env);
    context.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    this.#store = new SoundStore(context.storage);
    this.#radio = this.#store.readRadio();
    this.#received_ms = this.#store.lastReceivedAt();
    this.#offsets = this.#store.readClockOffsets();
    for (const track of TRACK_NAMES) this.#amounts.set(track, this.#store.countChunks(track));
    if (this.#radio) this.#startLive(this.#radio);
  }

  /** Reads the storage, for the health of the site. */
  async ping(): Promise<void> {
    this.#store.readRadio();
  }

  /** Opens the radio. Returns the number of a new epoch; null when the radio is finished. */
  async open(radio_id: string, started_at?: string): Promise<number | null> {
    const now_ms = Date.now();
    await this.#endIfOver(now_ms);
    const radio = this.#radio;
    if (radio && radio.state !== "live") return null;
    const opened: RadioRow = radio ?? {
      radio_id,
      state: "live",
      opened_at: now_ms,
      finished_at: null,
      signal_at: now_ms,
      issued_epoch: 0,
      epoch: 0,
      upload_id: null,
      recording: null,
    };
    const issued_epoch = opened.issued_epoch + 1;
    this.#save({ ...opened, signal_at: now_ms, issued_epoch });
    if (started_at !== undefined) this.#store.keepStart(Date.parse(started_at));
    if (!radio) {
      this.#startLive(opened);
      await this.ctx.storage.setAlarm(now_ms + SIGNAL_TIMEOUT_MS);
    }
    return issued_epoch;
  }

  /** Ends the radio and tells whether its recording is written. Idempotent. */
  async finish(radio_id: string): Promise<FinishedRadio> {
    const now_ms = Date.now();
    if (!this.#radio || this.#radio.state === "live") await this.#end(radio_id, now_ms);
    const radio = this.#radio;
    if (radio?.state === "finished") return { is_complete: true, recording: radio.recording };
    // The platform repeats a failed alarm only a few times.
    const is_due = !this.#is_recording && (await this.ctx.storage.getAlarm()) === null;
    if (is_due) await this.ctx.storage.setAlarm(now_ms);
    return { is_complete: false, recording: null };
  }

  async status(): Promise<LiveStatus> {
    const now_ms = Date.now();
    await this.#endIfOver(now_ms);
    const radio = this.#radio;
    return {
      state: radio?.state ?? "waiting",
      opened_at: radio && isoTime(radio.opened_at),
      finished_at: radio?.finished_at ? isoTime(radio.finished_at) : null,
      last_signal_at: radio && isoTime(this.#lastSignal(radio)),
      elapsed_ms: radio ? (radio.finished_at ?? now_ms) - radio.opened_at : 0,
      listeners: this.#currentListeners(now_ms),
      recording: radio?.recording ?? null,
    };
  }

  /** Returns a track's playlist in UTF-8; null when nothing is played. */
  readPlaylist(track: TrackName): Uint8Array<ArrayBuffer> | null {
    this.#fillSilence();
    const playlist = this.#findLive(track)?.playlist(this.#radio?.state !== "live");
    return playlist === undefined ? null : Uint8Array.from(new TextEncoder().encode(playlist));
  }

  /** Returns a segment. Waits for the next ones: {@link NO_SEGMENT} when they do not come. Null for any other number. */
  async readSegment(track: TrackName, number: number): Promise<Uint8Array<ArrayBuffer> | null> {
    this.#fillSilence();
    const found = this.#store.findSegment(track, number);
    if (found || !this.#findLive(track)?.isAhead(number)) return found;
    if (this.#radio?.state !== "live") return NO_SEGMENT;
    this.#startTicking();
    return this.#awaited.wait(segmentKey(track, number));
  }

  /** Notes that these listeners have just asked for sound. */
  countListeners(listeners: readonly string[]): void {
    const now_ms = Date.now();
    for (const listener of listeners) {
      if (this.#listeners.size < MAX_COUNTED_LISTENERS) this.#listeners.set(listener, now_ms);
    }
  }

  /** Takes the chunks of a PUT. */
  async takeChunks(epoch: number, bytes: Uint8Array): Promise<Taken> {
    const refused = await this.#beginEpoch(epoch);
    return refused ? { refused } : this.#take(epoch, bytes);
  }

  /** Answers the broadcaster's socket, and the listeners' endless stream. Any refusal is a 404 without a body. */
  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    return pathname === "/ingest"
      ? this.#connect(Number(searchParams.get("epoch")))
      : this.#stream(request, searchParams.get("listener") ?? "");
  }

  async #connect(epoch: number): Promise<Response> {
    if (await this.#beginEpoch(epoch)) return new Response(null, { status: 404 });
    // A page has one socket. An older one of the same page may be half open.
    for (const socket of this.ctx.getWebSockets()) closeFor(socket, "superseded");
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    server.serializeAttachment({ epoch, renewed_ms: Date.now() } satisfies Attached);
    const stored = {
      opus: this.#store.lastOfUnbroken("opus", epoch),
      aac: this.#store.lastOfUnbroken("aac", epoch),
    };
    send(server, { type: "hello", epoch, stored });
    return new Response(null, { status: 101, webSocket: client });
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const { epoch, renewed_ms } = socket.deserializeAttachment() as Attached;
    const now_ms = Date.now();
    await this.#endIfOver(now_ms);
    if (typeof message === "string") return closeFor(socket, "refused");
    const taken = this.#take(epoch, new Uint8Array(message));
    if ("refused" in taken) return closeFor(socket, taken.refused);
    // The platform sends these when the inserts are on the disk.
    for (const ack of taken.acked) send(socket, { type: "ack", ...ack });
    if (!this.#radio || now_ms - renewed_ms < INGEST_RENEWAL_MS) return;
    const { radio_id } = this.#radio;
    socket.serializeAttachment({ epoch, renewed_ms: now_ms } satisfies Attached);
    send(socket, { type: "renewed", ...(await grantIngest(this.env, { radio_id, epoch })) });
  }

  /** Makes an epoch the current one, and closes the page of an older epoch. Returns why it cannot. */
  async #beginEpoch(epoch: number): Promise<IngestRefusal | null> {
    const now_ms = Date.now();
    await this.#endIfOver(now_ms);
    const radio = this.#radio;
    // An epoch that was never given out has nothing to send to.
    if (radio?.state !== "live" || epoch > radio.issued_epoch) return "finished";
    if (epoch < radio.epoch) return "superseded";
    this.#save({ ...radio, epoch, signal_at: now_ms });
    if (epoch === radio.epoch) return null;
    for (const socket of this.ctx.getWebSockets()) closeFor(socket, "superseded");
    return null;
  }

  /** Stores chunks of the current epoch. Acknowledges chunks that are stored already again. */
  #take(epoch: number, bytes: Uint8Array): Taken {
    const radio = this.#radio;
    if (radio?.state !== "live") return { refused: "finished" };
    if (epoch !== radio.epoch) return { refused: "superseded" };
    const chunks = readChunks(bytes);
    if (!chunks?.every((chunk) => chunk.epoch === epoch)) return { refused: "refused" };
    const now_ms = Date.now();
    for (const chunk of chunks) {
      if (this.#store.hasChunk(chunk.track, epoch, chunk.seq)) continue;
      if (!this.#mayAdd(chunk, now_ms - radio.opened_at)) return { refused: "refused" };
      this.#insert(chunk, now_ms);
    }
    this.#received_ms = now_ms;
    for (const live of this.#live) live.takeChunks(epoch);
    return { acked: chunks.map(({ track, epoch, seq }) => ({ track, epoch, seq })) };
  }

  /** Whether a radio of this age may have one more chunk. */
  #mayAdd({ track, packet_count }: StoredChunk, age_ms: number): boolean {
    const { chunks, packets } = this.#amountOf(track);
    const allowed_ms = age_ms + AMOUNT_SLACK_MS;
    return durationOf(track, packets + packet_count) <= allowed_ms && chunks < (allowed_ms / 1000) * CHUNKS_PER_SECOND;
  }

  #insert(chunk: StoredChunk, received_ms: number): void {
    const { track, epoch, packet_count } = chunk;
    const found = this.#firsts.get(epoch) ?? this.#store.findFirstReceived(epoch);
    const first = found ?? { captured_ms: chunk.captured_ms, received_ms };
    this.#firsts.set(epoch, first);
    const earliest_ms = first.captured_ms - CAPTURE_SLACK_MS;
    const latest_ms = first.captured_ms + (received_ms - first.received_ms) + CAPTURE_SLACK_MS;
    const captured_ms = Math.min(Math.max(chunk.captured_ms, earliest_ms), latest_ms);
    this.#store.insertChunk({ ...chunk, captured_ms, received_ms });
    const { chunks, packets } = this.#amountOf(track);
    this.#amounts.set(track, { chunks: chunks + 1, packets: packets + packet_count });
    const offset_ms = received_ms - captured_ms;
    this.#offsets.set(epoch, Math.min(offset_ms, this.#offsets.get(epoch) ?? offset_ms));
  }

  #amountOf(track: TrackName): Amount {
    return this.#amounts.get(track) ?? { chunks: 0, packets: 0 };
  }

  #offsetOf(epoch: number): number {
    return this.#offsets.get(epoch) ?? 0;
  }

  #stream(request: Request, listener: string): Response {
    const answer = answerRange(request.headers.get("range"));
    const { status, headers, max_bytes } = answer;
    if (this.#radio?.state !== "live") return new Response(null, { status: 404 });
    if (request.method === "HEAD") return new Response(null, { status, headers });
    if (this.#ring.readers >= MAX_STREAMS) return new Response(null, { status: 503 });
    this.#startTicking();
    return new Response(this.#ring.open(listener, max_bytes), { status, headers });
  }

  /** Adds silence while somebody waits for sound. */
  #startTicking(): void {
    this.#ticking ??= setInterval(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    this.#fillSilence();
    if (this.#ring.readers + this.#awaited.count > 0 && this.#radio?.state === "live") return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }

  #fillSilence(): void {
    if (this.#radio?.state !== "live") return;
    for (const live of this.#live) live.fillSilence(Date.now());
  }

  #currentListeners(now_ms: number): number {
    for (const [listener, seen_ms] of this.#listeners) {
      if (now_ms - seen_ms > LISTENER_MS) this.#listeners.delete(listener);
    }
    return new Set([...this.#listeners.keys(), ...this.#ring.listListeners()]).size;
  }

  #findLive(track: TrackName): LiveTrack | undefined {
    return this.#live[TRACK_NAMES.indexOf(track)];
  }

  /** Starts the live output, or continues it after the object was stopped. */
  #startLive(radio: RadioRow): void {
    if (radio.state !== "live" && !this.#store.readLiveState("aac")) return;
    const { opened_at: opened_ms, epoch } = radio;
    this.#live = TRACK_NAMES.map((name) => {
      const onPackets = name === "aac" ? (packets: readonly Uint8Array[]) => this.#pushBlocks(packets) : () => {};
      const offsetOf = (of: number) => this.#offsetOf(of);
      const onSegment = (number: number, bytes: Uint8Array<ArrayBuffer>) =>
        this.#awaited.answer(segmentKey(name, number), bytes);
      return new LiveTrack(tracks[name], this.#store, { opened_ms, epoch, offsetOf, onPackets, onSegment });
    });
    if (radio.state === "live") for (const live of this.#live) live.takeChunks(epoch);
  }

  #pushBlocks(packets: readonly Uint8Array[]): void {
    for (let at = 0; at < packets.length; at += BLOCK_PACKETS) {
      this.#ring.push(toAdts(packets.slice(at, at + BLOCK_PACKETS)));
    }
  }

  #lastSignal({ signal_at }: RadioRow): number {
    return Math.max(signal_at, this.#received_ms);
  }

  /** Returns when the radio ends if no other signal comes. */
  #endOf(radio: RadioRow): number {
    return Math.min(radio.opened_at + MAX_RADIO_MS, this.#lastSignal(radio) + SIGNAL_TIMEOUT_MS);
  }

  /** Ends a radio whose time is over and whose alarm is late. */
  async #endIfOver(now_ms: number): Promise<void> {
    const radio = this.#radio;
    if (radio?.state === "live" && now_ms >= this.#endOf(radio)) await this.#end(radio.radio_id, now_ms);
  }

  /** Ends a radio that is live or was never opened: takes no more sound, and lets the alarm write the recording. */
  async #end(radio_id: string, now_ms: number): Promise<void> {
    const waiting = { radio_id, opened_at: now_ms, signal_at: now_ms, issued_epoch: 0, epoch: 0 };
    const radio = this.#radio ?? { ...waiting, upload_id: null, recording: null };
    for (const live of this.#live) live.finish();
    this.#save({ ...radio, state: this.#radio ? "finishing" : "finished", finished_at: now_ms });
    this.#ring.close();
    this.#awaited.close();
    for (const socket of this.ctx.getWebSockets()) closeFor(socket, "finished");
    await this.ctx.storage.setAlarm(now_ms);
  }

  override async alarm(): Promise<void> {
    const now_ms = Date.now();
    await this.#endIfOver(now_ms);
    const radio = this.#radio;
    if (radio?.state === "live") await this.ctx.storage.setAlarm(this.#endOf(radio));
    if (radio?.state === "finishing") await this.#record(radio, now_ms);
    if (radio?.state === "finished") await this.#forgetLive(radio, now_ms);
  }

  /** Writes the recording. Failures are repeated until it is written. */
  async #record({ radio_id }: RadioRow, now_ms: number): Promise<void> {
    this.#is_recording = true;
    try {
      const recording = await writeRecording(this.#store, this.env.MEDIA, recordingKey(radio_id), {
        read: () => this.#radio?.upload_id ?? null,
        keep: (upload_id) => this.#radio && this.#save({ ...this.#radio, upload_id }),
      });
      if (!this.#radio) return;
      this.#save({ ...this.#radio, state: "finished", recording });
      this.#store.deleteChunks();
      await this.ctx.storage.setAlarm((this.#radio.finished_at ?? now_ms) + LIVE_AFTER_END_MS);
    } catch (error) {
      logUnexpected(error, newId(now_ms));
      // The bucket forgets an upload after a week.
      const is_lost = String(error).includes("10024");
      if (is_lost && this.#radio) this.#save({ ...this.#radio, upload_id: null });
      const wait_ms = RETRY_MS[Math.min(this.#attempts, RETRY_MS.length - 1)] ?? 0;
      this.#attempts++;
      await this.ctx.storage.setAlarm(Date.now() + wait_ms);
    } finally {
      this.#is_recording = false;
    }
  }

  /** Deletes the live segments some time after the end. */
  async #forgetLive({ finished_at }: RadioRow, now_ms: number): Promise<void> {
    const due_ms = (finished_at ?? now_ms) + LIVE_AFTER_END_MS;
    if (now_ms < due_ms) return this.ctx.storage.setAlarm(due_ms);
    this.#store.deleteLive();
    this.#live = [];
  }

  #save(radio: RadioRow): void {
    this.#store.writeRadio(radio);
    this.#radio = radio;
  }
}

const segmentKey = (track: TrackName, number: number) => `${track} ${number}`;

/** Returns null for bytes that are no chunks, or too many. */
function readChunks(bytes: Uint8Array): StoredChunk[] | null {
  if (bytes.length > MAX_PUT_BYTES) return null;
  try {
    return decodeChunks(bytes);
  } catch (error) {
    if (error instanceof MalformedChunk) return null;
    throw error;
  }
}

function send(socket: WebSocket, message: IngestMessage): void {
  socket.send(JSON.stringify(message));
}

function closeFor(socket: WebSocket, reason: IngestRefusal): void {
  if (socket.readyState !== WebSocket.OPEN) return;
  send(socket, { type: "closed", reason });
  socket.close(INGEST_CLOSED[reason], reason);
}
