import { type Bytes, join } from "./box.ts";

const HEADER_BYTES = 7;
/**
 * What a packet has on average at least, with its header: 64 kbit/s. Chromium hands its player blocks of 32,768 bytes, and
 * silence of 13 bytes a packet would fill one in a minute.
 */
const MIN_PACKET_BYTES = 171;

/**
 * Returns AAC packets as a stream that a player can enter anywhere: each packet behind an ADTS header (ISO/IEC 14496-3,
 * section 1.A.2.2) that says AAC-LC, 48 kHz, one channel. Packets of silence are filled, so that they last no longer in
 * a player's buffer than others.
 */
export function toAdts(packets: readonly Uint8Array[]): Bytes {
  const bytes = packets.reduce((sum, packet) => sum + packet.length + HEADER_BYTES, 0);
  const lacking = Math.ceil(MIN_PACKET_BYTES - bytes / packets.length);
  const filling = lacking > 0 ? [fillElements(lacking)] : [];
  return join(
    packets.flatMap((packet) => {
      const content = [...filling, packet];
      return [headerOf(content.reduce((sum, { length }) => sum + length, HEADER_BYTES)), ...content];
    }),
  );
}

/** One fill element without its data, and seven that are empty: the fewest whose bits are whole bytes. */
const MIN_FILL_BYTES = 22;

/** Returns fill elements (ISO/IEC 14496-3, table 4.11) of so many bytes, at least {@link MIN_FILL_BYTES}. Decoders skip them. */
function fillElements(bytes: number): Bytes {
  const more = Math.max(0, bytes - MIN_FILL_BYTES);
  const elements = new Uint8Array(MIN_FILL_BYTES + more);
  // Element 6, a count of 15 and `more`: 14 + more bytes of zeros follow.
  elements[0] = 0b1101_1110 | (more >> 7);
  elements[1] = (more << 1) & 0xff;
  // The last bits of those, and seven times element 6 with a count of 0.
  elements.set([0x01, 0x83, 0x06, 0x0c, 0x18, 0x30, 0x60], elements.length - 7);
  return elements;
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
