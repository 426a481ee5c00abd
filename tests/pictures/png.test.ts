import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodePng } from "../../workers/pictures/png.ts";
import { drawPicture, pngChunk, pngHeader, pngOfChunks } from "../support/pictures.ts";

/** The lines of a picture as a PNG holds them, with the filter `none`. */
function linesOf({ data, width, height }: { data: Uint8ClampedArray; width: number; height: number }): Buffer {
  const lineAt = (y: number) => Buffer.from(data.subarray(y * width * 4, (y + 1) * width * 4));
  return Buffer.concat(Array.from({ length: height }, (_, y) => [Buffer.from([0]), lineAt(y)]).flat());
}

test("refuses data that are cut off, or no zlib data, or copies from before their beginning", () => {
  const picture = drawPicture(5, 4, (x, y) => [x * 50, y * 60, 7]);
  const whole = deflateSync(linesOf(picture));
  const decode = (data: Uint8Array) => decodePng(pngOfChunks(pngHeader(5, 4), pngChunk("IDAT", data))).pixels.data;
  expect(decode(whole)).toEqual(picture.data);
  // The checksum is not needed, and the end of the last block neither.
  for (let length = 0; length < whole.length - 8; length++) {
    expect(() => decode(whole.subarray(0, length)), `${length} bytes`).toThrow("file_broken");
  }
  expect(() => decode(Buffer.concat([Buffer.from([0x78, 0x9d]), whole.subarray(2)]))).toThrow("file_broken");
  // The fixed codes of the length 3 and the distance 1, at the beginning.
  expect(() => decode(Buffer.from([0x78, 0x9c, 0x03, 0x02, 0]))).toThrow("file_broken");
});

/** Writes bits, the lowest first, and codes, the highest first. */
class BitWriter {
  readonly #bits: number[] = [];

  put(value: number, count: number): void {
    for (let bit = 0; bit < count; bit++) this.#bits.push((value >> bit) & 1);
  }

  putCode(code: number, count: number): void {
    for (let bit = count - 1; bit >= 0; bit--) this.#bits.push((code >> bit) & 1);
  }

  bytes(): Buffer {
    const bytes = Buffer.alloc(Math.ceil(this.#bits.length / 8));
    for (const [at, bit] of this.#bits.entries()) bytes[at >> 3] = (bytes[at >> 3] as number) | (bit << (at & 7));
    return bytes;
  }
}

/** Returns zlib data of blocks without content, each with own codes of up to 15 bits. */
function emptyBlocks(count: number): Buffer {
  const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  const used = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18];
  const block = new BitWriter();
  for (let index = 0; index < count; index++) {
    // Not the last block, with own codes: 257 symbols, one distance, and lengths for all 19 code lengths.
    block.put(0b100, 3);
    block.put(0, 10);
    block.put(15, 4);
    for (const symbol of order) block.put(used.includes(symbol) ? 4 : 0, 3);
    const putLength = (length: number) => block.putCode(used.indexOf(length), 4);
    for (let length = 1; length <= 15; length++) putLength(length);
    for (const zeros of [138, 103]) {
      putLength(18);
      block.put(zeros - 11, 7);
    }
    putLength(15);
    putLength(1);
    block.putCode(0x7fff, 15);
  }
  return Buffer.concat([Buffer.from([0x78, 0x9c]), block.bytes()]);
}

test("makes no large table for a block without content", () => {
  const file = pngOfChunks(pngHeader(4, 4), pngChunk("IDAT", emptyBlocks(200)));
  const before = process.memoryUsage().arrayBuffers;
  expect(() => decodePng(file)).toThrow("file_broken");
  // Some libraries fill a table of 64 kB for each block of 23 bytes: 40 seconds for a file of 10 MB.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2_000_000);
});

test("a PNG is read whose data are cut into chunks of one byte, but not one of a million chunks", () => {
  const picture = drawPicture(5, 4, (x, y) => [x * 50, y * 60, 7]);
  const chunks = Array.from(deflateSync(linesOf(picture)), (byte) => pngChunk("IDAT", Buffer.from([byte])));
  expect(decodePng(pngOfChunks(pngHeader(5, 4), ...chunks)).pixels.data).toEqual(picture.data);
  const empty = pngChunk("IDAT", Buffer.alloc(0));
  const many = pngOfChunks(pngHeader(5, 4), Buffer.alloc(empty.length * 30_000, empty), ...chunks);
  expect(() => decodePng(many)).toThrow("file_broken");
});
