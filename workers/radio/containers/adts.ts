import { type Bytes, join } from "./box.ts";

const HEADER_BYTES = 7;

/**
 * Returns AAC packets as a stream that a player can enter anywhere: each packet behind an ADTS header (ISO/IEC 14496-3,
 * section 1.A.2.2) that says AAC-LC, 48 kHz, one channel.
 */
export function toAdts(packets: readonly Uint8Array[]): Bytes {
  return join(packets.flatMap((packet) => [headerOf(packet.length + HEADER_BYTES), packet]));
}

function headerOf(length: number): Bytes {
  return Uint8Array.of(
    0xff,
    // MPEG-4, layer 0, without a checksum.
    0xf1,
    // Profile LC (1), sampling frequency index 3, the high bit of one channel.
    (1 << 6) | (3 << 2),
    (1 << 6) | (length >> 11),
    (length >> 3) & 0xff,
    // The buffer fullness 0x7ff means a variable bit rate.
    ((length & 0x7) << 5) | 0x1f,
    0xfc,
  );
}
