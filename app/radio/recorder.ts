import { TRACK_NAMES, type TrackName } from "../../workers/contract/sound-chunks.ts";
import type { EndReason } from "./broadcast-state.ts";
import { CaptureTime } from "./capture-time.ts";
import type { ChunkSender } from "./chunk-sender.ts";
import { TrackChunks } from "./track-chunks.ts";

/** How long the last chunks may take to be acknowledged at the end. */
const DRAIN_MS = 20_000;

/** Encodes mono samples at 48 kHz into the packets of one track. */
export interface PacketEncoder {
  encode(samples: Float32Array<ArrayBuffer>): void;
  /** Emits the packets of all samples so far. The encoder takes nothing more. */
  flush(): Promise<void>;
  close(): void;
}

export interface PacketEvents {
  onPacket(packet: Uint8Array): void;
  /** The encoder failed, and emits nothing more. */
  onError(): void;
}

/**
 * Opens an encoder; null when this browser cannot encode the track. It may fail later, for example because it cannot be
 * loaded.
 */
export type OpenEncoder = (track: TrackName, events: PacketEvents) => PacketEncoder | null;

interface RecorderOptions {
  epoch: number;
  openEncoder: OpenEncoder;
  sender: ChunkSender;
  /** Gets the peak of each message of samples, from 0 to 1. */
  onLevel(level: number): void;
  /** Gets the tracks that are still sent, when one is given up. */
  onTracks(tracks: readonly TrackName[]): void;
  /** Called at the end, for whatever reason: stops the microphone. */
  onEnd(): void;
}

interface RecordedTrack {
  chunks: TrackChunks;
  encoder: PacketEncoder | null;
  /** Whether the encoder has emitted a packet. One that fails before is not opened again. */
  is_proven: boolean;
}

/** Turns samples of the microphone into chunks of every track that the browser can encode. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #time = new CaptureTime();
  readonly #tracks = new Map<TrackName, RecordedTrack>();
  #is_muted = false;
  #is_ended = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    for (const track of TRACK_NAMES) {
      const chunks = new TrackChunks(track, options.epoch, {
        timeOf: (sample) => this.#time.timeOf(sample),
        onChunk: (chunk) => options.sender.add(chunk),
      });
      const recorded: RecordedTrack = { chunks, encoder: null, is_proven: false };
      if (this.#open(track, recorded)) this.#tracks.set(track, recorded);
    }
  }

  /** The tracks that are sent. */
  get tracks(): TrackName[] {
    return [...this.#tracks.keys()];
  }

  /** Sends silence in place of sound, so that listeners keep their connection. */
  setMuted(is_muted: boolean): void {
    this.#is_muted = is_muted;
  }

  /** Takes samples that arrived now. */
  take(samples: Float32Array<ArrayBuffer>, peak: number): void {
    if (this.#options.sender.state.kind === "ended") this.#stop();
    if (this.#is_ended) return;
    if (this.#is_muted) samples.fill(0);
    this.#options.onLevel(this.#is_muted ? 0 : peak);
    this.#time.add(samples.length, performance.now());
    for (const { encoder } of this.#tracks.values()) encoder?.encode(samples);
  }

  /** Stops the microphone, sends what is left, and ends. Call it before the radio is finished. */
  async end(reason: EndReason = "ended"): Promise<void> {
    if (this.#is_ended) return;
    this.#is_ended = true;
    this.#options.onEnd();
    const { sender } = this.#options;
    for (const { encoder, chunks } of this.#tracks.values()) {
      await encoder?.flush().catch(() => {});
      encoder?.close();
      chunks.flush();
    }
    // The next try of a lost connection may be as late as the end of the wait.
    sender.wake();
    await sender.drain(DRAIN_MS);
    sender.end(reason);
  }

  /** Stops at once, because nothing more can be sent. */
  #stop(): void {
    if (this.#is_ended) return;
    this.#is_ended = true;
    this.#options.onEnd();
    for (const { encoder } of this.#tracks.values()) encoder?.close();
  }

  /** Opens an encoder that begins with the next sample. Returns whether the browser has one. */
  #open(track: TrackName, recorded: RecordedTrack): boolean {
    recorded.is_proven = false;
    recorded.chunks.beginAt(this.#time.samples);
    recorded.encoder = this.#options.openEncoder(track, {
      onPacket: (packet) => {
        recorded.is_proven = true;
        recorded.chunks.add(packet);
      },
      onError: () => this.#replace(track, recorded),
    });
    return recorded.encoder !== null;
  }

  /** Replaces an encoder that failed. Ends the broadcast when none is left. */
  #replace(track: TrackName, recorded: RecordedTrack): void {
    if (this.#is_ended) return;
    recorded.encoder = null;
    if (recorded.is_proven && this.#open(track, recorded)) return;
    recorded.chunks.flush();
    this.#tracks.delete(track);
    if (this.#tracks.size === 0) void this.end("encoder_failed");
    else this.#options.onTracks(this.tracks);
  }
}
