/**
 * What the broadcaster's page sends: packets of one track in numbered chunks of about 500 ms. Browsers use this file
 * too, so it imports nothing. Source: docs/decisions/0040-radio-sound.md.
 */

/** Opus in packets of 20 ms, and AAC-LC in raw packets of 1024 samples (without ADTS). Both are mono at 48 kHz. */
export const TRACK_NUMBERS = { opus: 1, aac: 2 } as const;
export type TrackName = keyof typeof TRACK_NUMBERS;
export const TRACK_NAMES: readonly TrackName[] = ["opus", "aac"];

export const SAMPLE_RATE = 48_000;
/** The samples of one packet. */
export const PACKET_SAMPLES: Readonly<Record<TrackName, number>> = { opus: 960, aac: 1024 };
/** Opus: RFC 6716, section 3.2.1. AAC: 6144 bits per channel, ISO/IEC 14496-3, section 4.5.1.1. */
export const MAX_PACKET_BYTES: Readonly<Record<TrackName, number>> = { opus: 1275, aac: 768 };

const MAX_CHUNK_BYTES = 16 * 1024;
const MAX_CHUNK_MS = 1000;
/** The most bytes of chunks that one PUT or one message may carry. */
export const MAX_PUT_BYTES = 1024 * 1024;

const CHUNK_VERSION = 1;
/** version 1, track 1, epoch 4, seq 4, capture time 8, count of packets 2. */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 2;
const MAX_UINT32 = 0xffff_ffff;

export interface ChunkHead {
  track: TrackName;
  /** The number of the broadcast attempt, from `LiveEngine.open`. */
  epoch: number;
  /** Counts the chunks of one track within the epoch, from 0. */
  seq: number;
  /**
   * When the first sample was captured, in whole milliseconds of a clock that never jumps (`performance.now()`). Only
   * differences within an epoch count.
   */
  captured_ms: number;
}

export interface SoundChunk extends ChunkHead {
  packets: readonly Uint8Array[];
}

/** A chunk as it is stored: its packets stay in their wire format. */
export interface StoredChunk extends ChunkHead {
  packet_count: number;
  /** Each packet with its length before it: {@link readPackets}. */
  body: Uint8Array;
}

/** Thrown for bytes that are no chunk, or a chunk beyond the bounds. The message says why. */
export class MalformedChunk extends Error {}

/** Returns how long a number of packets sounds. */
export function durationOf(track: TrackName, packet_count: number): number {
  return (packet_count * PACKET_SAMPLES[track] * 1000) / SAMPLE_RATE;
}

/** Returns the bytes of a chunk: the header, then each packet with its length, all big-endian. */
export function encodeChunk({ track, epoch, seq, captured_ms, packets }: SoundChunk): Uint8Array<ArrayBuffer> {
  const body = joinPackets(packets);
  const bytes = new Uint8Array(HEADER_BYTES + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, CHUNK_VERSION);
  view.setUint8(1, TRACK_NUMBERS[track]);
  view.setUint32(2, epoch);
  view.setUint32(6, seq);
  view.setBigUint64(10, BigInt(captured_ms));
  view.setUint16(18, packets.length);
  bytes.set(body, HEADER_BYTES);
  return bytes;
}

/** Returns packets, each with its length before it. */
export function joinPackets(packets: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(packets.reduce((length, packet) => length + LENGTH_BYTES + packet.length, 0));
  const view = new DataView(bytes.buffer);
  let offset = 0;
  for (const packet of packets) {
    view.setUint16(offset, packet.length);
    bytes.set(packet, offset + LENGTH_BYTES);
    offset += LENGTH_BYTES + packet.length;
  }
  return bytes;
}

/** Reads chunks that follow each other without a gap. Throws {@link MalformedChunk}. */
export function decodeChunks(bytes: Uint8Array): StoredChunk[] {
  const chunks: StoredChunk[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const chunk = decodeOne(bytes.subarray(offset));
    offset += HEADER_BYTES + chunk.body.length;
    chunks.push(chunk);
  }
  return chunks;
}

/** Reads the first chunk of the bytes. */
function decodeOne(bytes: Uint8Array): StoredChunk {
  if (bytes.length < HEADER_BYTES) throw new MalformedChunk("the header is cut off");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint8(0) !== CHUNK_VERSION) throw new MalformedChunk("the version is unknown");
  const track = TRACK_NAMES.find((name) => TRACK_NUMBERS[name] === view.getUint8(1));
  if (!track) throw new MalformedChunk("the track is unknown");
  const captured_ms = Number(view.getBigUint64(10));
  if (!Number.isSafeInteger(captured_ms)) throw new MalformedChunk("the capture time is out of range");
  const packet_count = view.getUint16(18);
  if (packet_count === 0 || durationOf(track, packet_count) > MAX_CHUNK_MS) {
    throw new MalformedChunk("the chunk has no packets or too many");
  }
  let end = HEADER_BYTES;
  for (let packet = 0; packet < packet_count; packet++) {
    if (end + LENGTH_BYTES > bytes.length) throw new MalformedChunk("a packet is cut off");
    const length = view.getUint16(end);
    if (length === 0 || length > MAX_PACKET_BYTES[track]) throw new MalformedChunk("a packet has no usable length");
    end += LENGTH_BYTES + length;
  }
  if (end > bytes.length) throw new MalformedChunk("a packet is cut off");
  if (end > MAX_CHUNK_BYTES) throw new MalformedChunk("the chunk is too large");
  const body = bytes.subarray(HEADER_BYTES, end);
  return { track, epoch: view.getUint32(2), seq: view.getUint32(6), captured_ms, packet_count, body };
}

/** Returns the packets of a stored chunk. */
export function readPackets(body: Uint8Array): Uint8Array[] {
  const packets: Uint8Array[] = [];
  for (let offset = 0; offset < body.length; ) {
    const length = ((body[offset] ?? 0) << 8) | (body[offset + 1] ?? 0);
    packets.push(body.subarray(offset + LENGTH_BYTES, offset + LENGTH_BYTES + length));
    offset += LENGTH_BYTES + length;
  }
  return packets;
}

/** Whether a number can be an epoch. */
export function isEpoch(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_UINT32;
}

/** What the server tells the broadcaster's page over the socket, as JSON text. */
export type IngestMessage =
  /** The first message: for each track, the last chunk up to which nothing is missing; null when there is none. */
  | { type: "hello"; epoch: number; stored: Record<TrackName, number | null> }
  /** The chunk is stored and will be in the recording. The page may forget it. */
  | ({ type: "ack" } & Pick<ChunkHead, "track" | "epoch" | "seq">)
  /** Replaces the path of the ingest, whose token expires. */
  | { type: "renewed"; path: string; expires_at: string }
  /** Comes before a close, which may take ten seconds to reach a page that never sent anything. */
  | { type: "closed"; reason: keyof typeof INGEST_CLOSED };

/** The answer to a PUT of chunks, with the path for the next one. */
export interface PutAnswer {
  acked: Pick<ChunkHead, "track" | "epoch" | "seq">[];
  path: string;
  expires_at: string;
}

/** Why the server closes the broadcaster's socket. The page connects again after any other code. */
export const INGEST_CLOSED = {
  /** The page sent something that is no chunk, or more than the bounds allow. */
  refused: 4400,
  /** A newer page broadcasts this radio, or this page opened another socket. */
  superseded: 4409,
  /** The radio is finished. */
  finished: 4410,
} as const;
