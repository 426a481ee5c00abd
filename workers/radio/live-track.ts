import { durationOf, joinPackets, readPackets } from "../contract/sound-chunks.ts";
import { CaptureClock, MAX_SILENCE_MS } from "./capture-clock.ts";
import { livePlaylist } from "./containers/playlist.ts";
import { mediaSegment } from "./containers/segments.ts";
import { packetsOf, type Track } from "./containers/track.ts";
import type { KeptChunk, SoundStore } from "./store.ts";

/** Chromium does not begin a live playlist of fewer segments, so a radio begins with so many of silence. */
const SILENT_SEGMENTS = 3;
/** What a playlist lists. A player begins two or three segments before the end. */
const LISTED_MS = 20_000;
/** RFC 8216, section 6.2.2: a segment stays as long as the longest playlist that lists it. */
const KEPT_LISTS = 3;
/** A player asks for so many segments before they exist. */
const MAX_AHEAD = 2;
/** How long the live output waits for sound that is late, before it fills the time with silence. */
const PATIENCE_MS = 3000;

interface Output {
  opened_ms: number;
  epoch: number;
  /** Returns how far our clock is ahead of the clock of an epoch's page. */
  offsetOf(epoch: number): number;
  /** Gets the packets of the output in order. */
  onPackets(packets: readonly Uint8Array[]): void;
  onSegment(number: number, bytes: Uint8Array<ArrayBuffer>): void;
}

/**
 * The live output of one track: takes stored chunks in their order, and cuts segments. It keeps up with the clock. While
 * no sound arrives, it adds silence; late sound whose time was filled is not played live. The recording has it.
 */
export class LiveTrack {
  readonly #track: Track;
  readonly #store: SoundStore;
  readonly #output: Output;
  readonly #clock: CaptureClock;
  #next_segment: number;
  #epoch: number;
  #seq: number;
  /** Silence that was added in place of sound that may still arrive. */
  #owed_ms: number;
  /** The silence since the last sound. */
  #silent_ms: number;
  #pending: Uint8Array[];

  /** Continues after the last segment that is stored. A new radio begins with silent segments. */
  constructor(track: Track, store: SoundStore, output: Output) {
    this.#track = track;
    this.#store = store;
    this.#output = output;
    const kept = store.readLiveState(track.name);
    this.#next_segment = kept?.next_segment ?? 0;
    this.#epoch = kept?.epoch ?? output.epoch;
    this.#seq = kept?.seq ?? 0;
    this.#clock = new CaptureClock(kept?.end_ms ?? output.opened_ms);
    this.#owed_ms = kept?.owed_ms ?? 0;
    this.#silent_ms = kept?.silent_ms ?? 0;
    this.#pending = kept ? readPackets(kept.pending) : [];
    if (!kept) this.#append(this.#silence(SILENT_SEGMENTS * track.segment_packets));
  }

  /** Takes the chunks that are there, up to the first that is missing; then those of a newer epoch. */
  takeChunks(epoch: number): void {
    this.#takeUnbroken();
    if (epoch <= this.#epoch) return;
    this.#epoch = epoch;
    this.#seq = 0;
    this.#takeUnbroken();
  }

  #takeUnbroken(): void {
    for (;;) {
      const chunk = this.#store.findChunk(this.#track.name, this.#epoch, this.#seq);
      if (!chunk) return;
      this.#take(chunk);
    }
  }

  #take(chunk: KeptChunk): void {
    this.#seq = chunk.seq + 1;
    const at_ms = chunk.captured_ms + this.#output.offsetOf(chunk.epoch);
    const duration_ms = durationOf(chunk.track, chunk.packet_count);
    const is_late = this.#owed_ms > 0 && at_ms + duration_ms / 2 < (this.#clock.end_ms ?? 0);
    if (is_late) {
      this.#owed_ms = Math.max(0, this.#owed_ms - duration_ms);
      return;
    }
    const silence_ms = this.#clock.addChunk(at_ms, duration_ms, Math.max(0, MAX_SILENCE_MS - this.#silent_ms));
    this.#silent_ms = 0;
    this.#owed_ms = 0;
    this.#append([...this.#silence(packetsOf(this.#track, silence_ms)), ...readPackets(chunk.body)]);
  }

  /** Adds the silence that is due. Called before every read, so that a radio without listeners costs nothing. */
  fillSilence(now_ms: number): void {
    this.#skipMissing(now_ms);
    const { segment_packets, name } = this.#track;
    while (now_ms - (this.#clock.end_ms ?? now_ms) > PATIENCE_MS && this.#silent_ms < MAX_SILENCE_MS) {
      const packets = segment_packets - this.#pending.length;
      const silence_ms = durationOf(name, packets);
      this.#clock.addSilence(silence_ms);
      this.#owed_ms += silence_ms;
      this.#silent_ms += silence_ms;
      this.#append(this.#silence(packets));
    }
  }

  /** Skips a missing chunk when a later one has waited too long for it. */
  #skipMissing(now_ms: number): void {
    const later = this.#store.findChunkFrom(this.#track.name, this.#epoch, this.#seq);
    if (!later || now_ms - later.received_ms <= PATIENCE_MS) return;
    this.#seq = later.seq;
    this.#takeUnbroken();
  }

  /** Fills the last segment with silence, so that the last words are heard. */
  finish(): void {
    const missing = this.#track.segment_packets - this.#pending.length;
    if (this.#pending.length > 0) this.#append(this.#silence(missing));
  }

  playlist(is_ended: boolean): string {
    const end = this.#next_segment;
    return livePlaylist(this.#track, { first: Math.max(0, end - this.#listed_segments), end, is_ended });
  }

  /** Whether a segment is one of the next ones. */
  isAhead(number: number): boolean {
    return number >= this.#next_segment && number < this.#next_segment + MAX_AHEAD;
  }

  get #listed_segments(): number {
    const { name, segment_packets } = this.#track;
    return Math.round(LISTED_MS / durationOf(name, segment_packets));
  }

  #silence(packets: number): Uint8Array[] {
    return Array.from({ length: packets }, () => this.#track.silence);
  }

  #append(packets: readonly Uint8Array[]): void {
    this.#output.onPackets(packets);
    const { name, segment_packets } = this.#track;
    this.#pending.push(...packets);
    if (this.#pending.length < segment_packets) return;
    while (this.#pending.length >= segment_packets) {
      const segment = mediaSegment(this.#track, this.#next_segment, this.#pending.splice(0, segment_packets));
      this.#store.insertSegment(name, this.#next_segment, segment);
      this.#output.onSegment(this.#next_segment, segment);
      this.#next_segment++;
    }
    this.#store.deleteSegmentsBefore(name, this.#next_segment - KEPT_LISTS * this.#listed_segments);
    this.#store.writeLiveState(name, {
      next_segment: this.#next_segment,
      epoch: this.#epoch,
      seq: this.#seq,
      end_ms: this.#clock.end_ms ?? 0,
      owed_ms: this.#owed_ms,
      silent_ms: this.#silent_ms,
      pending: joinPackets(this.#pending),
    });
  }
}
