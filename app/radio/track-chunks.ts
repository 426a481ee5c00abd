import {
  MAX_PACKET_BYTES,
  PACKET_SAMPLES,
  type SoundChunk,
  type TrackName,
} from "../../workers/contract/sound-chunks.ts";

/** The packets of about 500 ms. */
const CHUNK_PACKETS: Readonly<Record<TrackName, number>> = { opus: 25, aac: 24 };

interface ChunkEvents {
  /** Returns when a sample was captured. */
  timeOf(sample: number): number;
  onChunk(chunk: SoundChunk): void;
}

/** Collects the packets of one track into numbered chunks. */
export class TrackChunks {
  readonly #track: TrackName;
  readonly #epoch: number;
  readonly #events: ChunkEvents;
  #seq = 0;
  #packets: Uint8Array[] = [];
  #began_at = 0;
  #next_sample = 0;

  constructor(track: TrackName, epoch: number, events: ChunkEvents) {
    this.#track = track;
    this.#epoch = epoch;
    this.#events = events;
  }

  /** Notes that an encoder begins with a sample. The times of its packets follow from their number. */
  beginAt(sample: number): void {
    this.flush();
    this.#next_sample = sample;
  }

  /** Adds a packet. Leaves out a packet that the server would refuse, together with the whole broadcast. */
  add(packet: Uint8Array): void {
    const sample = this.#next_sample;
    this.#next_sample += PACKET_SAMPLES[this.#track];
    if (packet.length === 0 || packet.length > MAX_PACKET_BYTES[this.#track]) return;
    if (this.#packets.length === 0) this.#began_at = sample;
    this.#packets.push(packet);
    if (this.#packets.length === CHUNK_PACKETS[this.#track]) this.flush();
  }

  /** Makes a chunk of the packets so far. */
  flush(): void {
    const packets = this.#packets;
    if (packets.length === 0) return;
    this.#packets = [];
    this.#events.onChunk({
      track: this.#track,
      epoch: this.#epoch,
      seq: this.#seq++,
      captured_ms: this.#events.timeOf(this.#began_at),
      packets,
    });
  }
}
