import { Inflate, Z_SYNC_FLUSH } from "pako";
import { assertSize, MAX_PARTS } from "./bounds.ts";
import { Bytes, joinBytes } from "./bytes.ts";
import { orientationOf } from "./orientation.ts";
import type { Pixels } from "./pixels.ts";
import { Refused } from "./refused.ts";

/** Inflates a PNG in slices of this size. Deflate can expand data a thousand times, so one slice stays small. */
const SLICE_BYTES = 4096;

interface Header {
  width: number;
  height: number;
  bits: number;
  colour: 0 | 2 | 3 | 4 | 6;
  is_interlaced: boolean;
}

/**
 * For each colour type: the samples in a pixel, and the bits that a sample may have. Source: PNG, third edition, table
 * 8.
 */
const colours: Record<number, { samples: number; bits: number[] }> = {
  0: { samples: 1, bits: [1, 2, 4, 8, 16] },
  2: { samples: 3, bits: [8, 16] },
  3: { samples: 1, bits: [1, 2, 4, 8] },
  4: { samples: 2, bits: [8, 16] },
  6: { samples: 4, bits: [8, 16] },
};

/** The part of the picture that one pass of an interlaced PNG holds. */
interface Pass {
  left: number;
  top: number;
  across: number;
  down: number;
}
const WHOLE: readonly Pass[] = [{ left: 0, top: 0, across: 1, down: 1 }];
/** The seven passes of an interlaced PNG. Source: PNG, third edition, 8.1, Adam7. */
const INTERLACED: readonly Pass[] = [
  { left: 0, top: 0, across: 8, down: 8 },
  { left: 4, top: 0, across: 8, down: 8 },
  { left: 0, top: 4, across: 4, down: 8 },
  { left: 2, top: 0, across: 4, down: 4 },
  { left: 0, top: 2, across: 2, down: 4 },
  { left: 1, top: 0, across: 2, down: 2 },
  { left: 0, top: 1, across: 1, down: 2 },
];

/**
 * Decodes a PNG, or the still picture of an animated PNG. We wrote this decoder because it takes no memory besides the
 * pixels, while a wasm library takes twice as much. It reads only the chunks that make pixels, and the orientation.
 * Source: https://www.w3.org/TR/png-3/
 */
export function decodePng(file: Uint8Array): { pixels: Pixels; orientation: number } {
  const { header, palette, transparent, data, exif } = chunksOf(new Bytes(file));
  assertSize(header.width, header.height);
  const { width, height } = header;
  const pixels = new Uint8ClampedArray(width * height * 4);
  const paint = painterOf(header, palette, transparent);
  const rows = new Rows(header, (line, y, { left, across }, count) => {
    for (let index = 0, to = (y * width + left) * 4; index < count; index++, to += across * 4) {
      paint(line, index, pixels, to);
    }
  });
  inflateRows(joinBytes(data), rows);
  if (!rows.is_complete) throw new Refused("file_broken");
  return { pixels: { width, height, data: pixels }, orientation: (exif && orientationOf(exif)) ?? 1 };
}

/**
 * Inflates zlib data until the rows are complete. It ignores the checksum, as browsers do. We use pako, because it fills a table
 * of 1,300 entries at most for each block. Others fill 32,768 entries, and a file may have a million blocks without content.
 */
function inflateRows(data: Uint8Array, rows: Rows): void {
  const [method = 0, flags = 0] = data;
  const has_dictionary = (flags & 32) !== 0;
  if ((method & 15) !== 8 || (method * 256 + flags) % 31 !== 0 || has_dictionary) return;
  const inflate = new Inflate({ raw: true, chunkSize: 8 * SLICE_BYTES });
  inflate.onData = (part) => rows.take(part);
  for (let at = 2; at < data.length && !rows.is_complete && !inflate.ended; at += SLICE_BYTES) {
    inflate.push(data.subarray(at, at + SLICE_BYTES), Z_SYNC_FLUSH);
  }
}

function chunksOf(bytes: Bytes) {
  let header: Header | undefined;
  let palette = new Uint8Array();
  let transparent = new Uint8Array();
  let exif: Uint8Array | undefined;
  const data: Uint8Array[] = [];
  for (let at = 8; ; ) {
    const length = bytes.u32(at);
    const name = bytes.text(at + 4, 4);
    // Read the checksum that follows as well, to reject a file that is cut off inside it.
    const content = bytes.part(at + 8, length + 4).subarray(0, length);
    if ((name === "IHDR") !== (header === undefined)) throw new Refused("file_broken");
    if (name === "IHDR") header = headerOf(new Bytes(content));
    if (name === "PLTE") palette = content as Uint8Array<ArrayBuffer>;
    if (name === "tRNS") transparent = content as Uint8Array<ArrayBuffer>;
    if (name === "eXIf") exif = content;
    if (name === "IDAT") data.push(content);
    if (data.length > MAX_PARTS) throw new Refused("file_broken");
    if (name === "IEND") break;
    at += length + 12;
  }
  if (!header) throw new Refused("file_broken");
  return { header, palette, transparent, data, exif };
}

function headerOf(chunk: Bytes): Header {
  const [bits, colour, interlace] = [chunk.u8(8), chunk.u8(9), chunk.u8(12)];
  if (!colours[colour]?.bits.includes(bits) || chunk.u8(10) !== 0 || chunk.u8(11) !== 0 || interlace > 1) {
    throw new Refused("file_broken");
  }
  return {
    width: chunk.u32(0),
    height: chunk.u32(4),
    bits,
    colour: colour as Header["colour"],
    is_interlaced: interlace === 1,
  };
}

/** Writes the pixel at `index` of a line as red, green, blue and alpha. */
type Painter = (line: Uint8Array, index: number, pixels: Uint8ClampedArray, to: number) => void;

function painterOf({ bits, colour }: Header, palette: Uint8Array, transparent: Uint8Array): Painter {
  const bytes = bits === 16 ? 2 : 1;
  const samples = colours[colour]?.samples ?? 1;
  const most = 2 ** bits - 1;
  // Use only the first byte of a sample of two bytes: stored pictures have eight bits a colour.
  const sampleAt = (line: Uint8Array, at: number): number => {
    if (bits >= 8) return line[at * bytes] as number;
    const bit = at * bits;
    return ((line[bit >> 3] as number) >> (8 - bits - (bit & 7))) & most;
  };
  const keys = Array.from({ length: transparent.byteLength >> 1 }, (_, at) => new Bytes(transparent).u16(at * 2));
  const exactSample = (line: Uint8Array, at: number) =>
    bytes === 2 ? ((line[at * 2] as number) << 8) | (line[at * 2 + 1] as number) : sampleAt(line, at);
  // Runs for every pixel, so it must create no array.
  const isKey = (line: Uint8Array, from: number): boolean => {
    for (let at = 0; at < samples; at++) if (exactSample(line, from + at) !== keys[at]) return false;
    return true;
  };
  if (colour === 3) {
    if (palette.byteLength < 3 || palette.byteLength % 3 !== 0) throw new Refused("file_broken");
    return (line, index, pixels, to) => {
      const entry = sampleAt(line, index);
      if (entry * 3 >= palette.byteLength) throw new Refused("file_broken");
      pixels[to] = palette[entry * 3] as number;
      pixels[to + 1] = palette[entry * 3 + 1] as number;
      pixels[to + 2] = palette[entry * 3 + 2] as number;
      pixels[to + 3] = transparent[entry] ?? 255;
    };
  }
  const is_grey = colour === 0 || colour === 4;
  const has_alpha = colour === 4 || colour === 6;
  const spread = bits < 8 ? 255 / most : 1;
  const has_keys = keys.length >= samples;
  return (line, index, pixels, to) => {
    const from = index * samples;
    const first = sampleAt(line, from) * spread;
    pixels[to] = first;
    pixels[to + 1] = is_grey ? first : sampleAt(line, from + 1);
    pixels[to + 2] = is_grey ? first : sampleAt(line, from + 2);
    if (has_alpha) pixels[to + 3] = sampleAt(line, from + samples - 1);
    else pixels[to + 3] = has_keys && isKey(line, from) ? 0 : 255;
  };
}

/** Receives a line of `count` pixels, and where they are in the picture. */
type GiveLine = (line: Uint8Array, y: number, pass: Pass, count: number) => void;

/**
 * Takes inflated bytes in pieces of any length, undoes the PNG filters, and passes on one line after another. Source:
 * PNG, third edition, 9, filters.
 */
class Rows {
  is_complete = false;
  readonly #header: Header;
  readonly #give: GiveLine;
  readonly #passes: Pass[];
  readonly #pixel_bits: number;
  /** How many bytes lie between a byte and the same byte of the pixel before. */
  readonly #step: number;
  #line = new Uint8Array();
  #before = new Uint8Array();
  #filter = -1;
  #filled = 0;
  #row = 0;

  constructor(header: Header, give: GiveLine) {
    this.#header = header;
    this.#give = give;
    this.#pixel_bits = header.bits * (colours[header.colour]?.samples ?? 1);
    this.#step = Math.max(1, this.#pixel_bits >> 3);
    const hasPixels = ({ left, top }: Pass) => left < header.width && top < header.height;
    this.#passes = (header.is_interlaced ? INTERLACED : WHOLE).filter(hasPixels);
    this.#beginPass();
  }

  take(part: Uint8Array): void {
    for (let at = 0; at < part.byteLength && !this.is_complete; ) {
      if (this.#filter < 0) {
        this.#filter = part[at++] as number;
        if (this.#filter > 4) throw new Refused("file_broken");
        continue;
      }
      const taken = part.subarray(at, at + this.#line.byteLength - this.#filled);
      this.#line.set(taken, this.#filled);
      this.#filled += taken.byteLength;
      at += taken.byteLength;
      if (this.#filled === this.#line.byteLength) this.#finishLine();
    }
  }

  #countPixels(): number {
    const [{ left, across } = { left: 0, across: 1 }] = this.#passes;
    return Math.ceil((this.#header.width - left) / across);
  }

  #beginPass(): void {
    const length = Math.ceil((this.#countPixels() * this.#pixel_bits) / 8);
    this.#line = new Uint8Array(length);
    this.#before = new Uint8Array(length);
    this.#row = 0;
  }

  #finishLine(): void {
    const [pass] = this.#passes as [Pass];
    unfilterLine(this.#filter, this.#line, this.#before, this.#step);
    this.#give(this.#line, pass.top + this.#row * pass.down, pass, this.#countPixels());
    [this.#line, this.#before] = [this.#before, this.#line];
    this.#filter = -1;
    this.#filled = 0;
    this.#row += 1;
    if (pass.top + this.#row * pass.down < this.#header.height) return;
    this.#passes.shift();
    if (this.#passes.length === 0) this.is_complete = true;
    else this.#beginPass();
  }
}

function unfilterLine(filter: number, line: Uint8Array, above: Uint8Array, step: number): void {
  for (let at = 0; filter !== 0 && at < line.byteLength; at++) {
    const left = at < step ? 0 : (line[at - step] as number);
    const up = above[at] as number;
    const corner = at < step ? 0 : (above[at - step] as number);
    let guess = left;
    if (filter === 2) guess = up;
    else if (filter === 3) guess = (left + up) >> 1;
    else if (filter === 4) guess = predictPaeth(left, up, corner);
    line[at] = (line[at] as number) + guess;
  }
}

function predictPaeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [to_left, to_up, to_corner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (to_left <= to_up && to_left <= to_corner) return left;
  return to_up <= to_corner ? up : corner;
}
