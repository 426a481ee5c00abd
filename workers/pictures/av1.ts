import { assertSize } from "./bounds.ts";
import { Bytes } from "./bytes.ts";
import { Refused } from "./refused.ts";

/** An AVIF may store a picture in four layers. Each is a frame, and the decoder decodes all of them to show the last. */
const MAX_FRAMES = 4;

const SEQUENCE_HEADER = 1;
const FRAME_HEADER = 3;
const TILE_GROUP = 4;
const FRAME = 6;
const TILE_LIST = 8;

interface CodedPicture {
  parts: Uint8Array[];
  width: number;
  height: number;
  frames: number;
}

/**
 * Keeps only the sequence header and the frames of a coded picture. The size is the one that no frame may exceed. Source:
 * AV1 Bitstream & Decoding Process Specification, 5.3 and 5.5.
 *
 * @throws Refused also for more than one sequence header, and for more frames than layers: the decoder would decode
 *   every frame of the data, however many there are.
 */
export function cleanAv1(data: Uint8Array): CodedPicture {
  const bytes = new Bytes(data);
  const parts: Uint8Array[] = [];
  let size: { width: number; height: number } | undefined;
  let frames = 0;
  for (let at = 0; at < bytes.length; ) {
    const header = bytes.u8(at);
    const type = (header >> 3) & 15;
    const has_size = (header & 2) !== 0;
    if (!has_size || type === TILE_LIST) throw new Refused("file_broken");
    const length_at = at + (header & 4 ? 2 : 1);
    const { value, end: from } = readLeb128(bytes, length_at);
    const content = bytes.part(from, value);
    if (type === SEQUENCE_HEADER) {
      if (size) throw new Refused("file_broken");
      size = readMaxSize(new Bits(new Bytes(content)));
      assertSize(size.width, size.height);
    }
    if (type === FRAME_HEADER || type === FRAME) frames += 1;
    if (frames > MAX_FRAMES) throw new Refused("file_broken");
    if ([SEQUENCE_HEADER, FRAME_HEADER, TILE_GROUP, FRAME].includes(type))
      parts.push(bytes.part(at, from + value - at));
    at = from + value;
  }
  if (!size || frames === 0) throw new Refused("file_broken");
  return { parts, ...size, frames };
}

/** Source: AV1, 4.10.5. */
function readLeb128(bytes: Bytes, from: number): { value: number; end: number } {
  let value = 0;
  for (let index = 0; index < 8; index++) {
    const byte = bytes.u8(from + index);
    value += (byte & 127) * 2 ** (index * 7);
    if (byte < 128) return { value, end: from + index + 1 };
  }
  throw new Refused("file_broken");
}

/** Reads numbers of some bits, one after another. */
class Bits {
  readonly #bytes: Bytes;
  #at = 0;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  take(count: number): number {
    let value = 0;
    for (let bit = 0; bit < count; bit++, this.#at++) {
      value = value * 2 + ((this.#bytes.u8(this.#at >> 3) >> (7 - (this.#at & 7))) & 1);
    }
    return value;
  }

  /** Skips a number of variable length. Source: AV1, 4.10.3. */
  skipUvlc(): void {
    let zeros = 0;
    while (this.take(1) === 0) zeros += 1;
    if (zeros < 32) this.take(zeros);
  }
}

/** Reads a sequence header up to the largest size of its frames. Source: AV1, 5.5.1. */
function readMaxSize(bits: Bits): { width: number; height: number } {
  // The profile, and whether this is a still picture.
  bits.take(4);
  const is_reduced = bits.take(1) === 1;
  if (is_reduced) bits.take(5);
  else skipOperatingPoints(bits);
  const [width_bits, height_bits] = [bits.take(4) + 1, bits.take(4) + 1];
  return { width: bits.take(width_bits) + 1, height: bits.take(height_bits) + 1 };
}

function skipOperatingPoints(bits: Bits): void {
  let delay_bits = 0;
  const has_timing = bits.take(1) === 1;
  if (has_timing) {
    bits.take(64);
    const has_equal_intervals = bits.take(1) === 1;
    if (has_equal_intervals) bits.skipUvlc();
    const has_decoder_model = bits.take(1) === 1;
    if (has_decoder_model) {
      delay_bits = bits.take(5) + 1;
      bits.take(42);
    }
  }
  const has_display_delays = bits.take(1) === 1;
  const points = bits.take(5) + 1;
  for (let point = 0; point < points; point++) {
    bits.take(12);
    const level = bits.take(5);
    if (level > 7) bits.take(1);
    if (delay_bits > 0 && bits.take(1) === 1) bits.take(delay_bits * 2 + 1);
    if (has_display_delays && bits.take(1) === 1) bits.take(4);
  }
}
