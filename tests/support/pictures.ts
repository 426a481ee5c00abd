/** Makes and decodes pictures with the real codecs, so that tests check the pixels that are served. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

export interface Picture {
  width: number;
  height: number;
  /** Red, green, blue, alpha. */
  data: Uint8ClampedArray;
}

/** Draws a picture; `colour` gives each pixel. */
export function drawPicture(
  width: number,
  height: number,
  colour: (x: number, y: number) => [number, number, number, number?],
): Picture {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [red, green, blue, alpha = 255] = colour(x, y);
      data.set([red, green, blue, alpha], (y * width + x) * 4);
    }
  }
  return { width, height, data };
}

/**
 * Draws red top left, green top right, blue bottom left and white bottom right, so that a rotation or mirroring shows.
 */
export function quarters(width: number, height: number): Picture {
  const colours = [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [255, 255, 255],
  ] as const;
  return drawPicture(width, height, (x, y) => [
    ...(colours[Number(x >= width / 2) + 2 * Number(y >= height / 2)] ?? colours[0]),
  ]);
}

/** Returns the colours of {@link quarters} in the corners, in reading direction. */
export function cornerColours({ width, height, data }: Picture): string {
  const colourAt = (x: number, y: number) => {
    const from = (Math.floor(y * height) * width + Math.floor(x * width)) * 4;
    const [red, green, blue] = [data[from], data[from + 1], data[from + 2]].map((part = 0) => part > 127);
    if (red && green && blue) return "W";
    return red ? "R" : green ? "G" : blue ? "B" : "-";
  };
  return colourAt(0.25, 0.25) + colourAt(0.75, 0.25) + colourAt(0.25, 0.75) + colourAt(0.75, 0.75);
}

interface Codec {
  encode(data: Uint8Array, width: number, height: number, options: object): Uint8Array;
  decode(file: Uint8Array, ...options: unknown[]): Picture | null;
}

const packages = createRequire(import.meta.url);
const opened = new Map<string, Promise<Codec>>();

function loadCodec(name: string, path: string): Promise<Codec> {
  const key = `@jsquash/${name}/codec/${path}`;
  const known = opened.get(key) ?? openCodec(key);
  opened.set(key, known);
  return known;
}

async function openCodec(key: string): Promise<Codec> {
  (globalThis as { ImageData?: unknown }).ImageData ??= class {
    constructor(data: Uint8ClampedArray, width: number, height: number) {
      Object.assign(this, { data, width, height });
    }
  };
  const script = packages.resolve(`${key}.js`);
  const wasm = new WebAssembly.Module(readFileSync(join(dirname(script), `${key.split("/").at(-1)}.wasm`)));
  const { default: factory } = await import(script);
  return factory({
    noInitialRun: true,
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      const instance = new WebAssembly.Instance(wasm, imports);
      done(instance);
      return instance.exports;
    },
  });
}

async function encodeWith(name: string, path: string, { data, width, height }: Picture, changed: object) {
  const { defaultOptions } = await import(`@jsquash/${name}/meta.js`);
  const encoder = await loadCodec(name, path);
  return new Uint8Array(encoder.encode(new Uint8Array(data.buffer), width, height, { ...defaultOptions, ...changed }));
}

export const jpegOf = (picture: Picture, options: object = {}) =>
  encodeWith("jpeg", "enc/mozjpeg_enc", picture, { quality: 90, ...options });
export const webpOf = (picture: Picture, options: object = {}) =>
  encodeWith("webp", "enc/webp_enc_simd", picture, { method: 0, ...options });
export const avifOf = (picture: Picture, options: object = {}) =>
  encodeWith("avif", "enc/avif_enc", picture, { speed: 10, ...options });

/** Decodes a file of a served type. @throws when it is not of that type. */
export async function decodeServed(type: string, file: Uint8Array): Promise<Picture> {
  const decoded = {
    "image/jpeg": async () => (await loadCodec("jpeg", "dec/mozjpeg_dec")).decode(file, false),
    "image/webp": async () => (await loadCodec("webp", "dec/webp_dec")).decode(file),
    "image/avif": async () => (await loadCodec("avif", "dec/avif_dec")).decode(file, 8),
  }[type];
  const picture = await decoded?.();
  if (!picture) throw new Error(`no picture in ${type}`);
  return picture;
}

const toLatin1 = (text: string) => Buffer.from(text, "latin1");

export function pngChunk(name: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length);
  chunk.write(name, 4, "latin1");
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

/** Returns a PNG of these chunks. */
export function pngOfChunks(...chunks: Buffer[]): Buffer {
  return Buffer.concat([toLatin1("\x89PNG\r\n\x1a\n"), ...chunks, pngChunk("IEND", Buffer.alloc(0))]);
}

export function pngHeader(width: number, height: number, [bits, colour, interlace]: number[] = [8, 6, 0]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([bits ?? 8, colour ?? 6, 0, 0, interlace ?? 0], 8);
  return pngChunk("IHDR", header);
}

/** Returns a PNG with eight bits and alpha. */
export function pngOf({ width, height, data }: Picture, ...between: Buffer[]): Buffer {
  const lines = Buffer.alloc(height * (1 + width * 4));
  for (let y = 0; y < height; y++) {
    lines.set(data.subarray(y * width * 4, (y + 1) * width * 4), y * (1 + width * 4) + 1);
  }
  return pngOfChunks(pngHeader(width, height), ...between, pngChunk("IDAT", deflateSync(lines, { level: 1 })));
}

/**
 * Returns a GIF of one frame with all pixels of the first of two colours. `before` and `after` are blocks around the
 * frame.
 */
export function gifOf(width: number, height: number, { before = "", after = "" } = {}): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width);
  size.writeUInt16LE(height, 2);
  // Codes of three bits: a clear, then one code per pixel, with a clear before the codes would grow.
  const codes: number[] = [];
  for (let pixel = 0; pixel < width * height; pixel++) codes.push(...(pixel % 2 === 0 ? [4, 0] : [0]));
  codes.push(5);
  const bits = codes.flatMap((code) => [code & 1, (code >> 1) & 1, (code >> 2) & 1]);
  const packed = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [at, bit] of bits.entries()) packed[at >> 3] = (packed[at >> 3] ?? 0) | (bit << (at & 7));
  const blocks: Buffer[] = [];
  for (let at = 0; at < packed.length; at += 255) {
    const block = packed.subarray(at, at + 255);
    blocks.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat([
    toLatin1("GIF89a"),
    size,
    Buffer.from([0x80, 0, 0, 255, 0, 0, 0, 0, 255]),
    toLatin1(before),
    Buffer.from([0x2c, 0, 0, 0, 0]),
    size,
    Buffer.from([0, 2]),
    ...blocks,
    Buffer.from([0]),
    toLatin1(after),
    Buffer.from([0x3b]),
  ]);
}

/** Returns an Exif block with an orientation and a location. */
export function exifOf(orientation: number, note = ""): Buffer {
  const text = Buffer.from(`${note}\0`);
  const tiff = Buffer.alloc(8 + 2 + 3 * 12 + 4);
  tiff.write("II", 0, "latin1");
  tiff.writeUInt16LE(42, 2);
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(3, 8);
  const writeEntry = (at: number, tag: number, type: number, count: number, value: number) => {
    tiff.writeUInt16LE(tag, at);
    tiff.writeUInt16LE(type, at + 2);
    tiff.writeUInt32LE(count, at + 4);
    tiff.writeUInt32LE(value, at + 8);
  };
  writeEntry(10, 0x010e, 2, text.length, tiff.length);
  writeEntry(22, 0x0112, 3, 1, orientation);
  // A directory of its own for the location, at the offset of the text.
  writeEntry(34, 0x8825, 4, 1, tiff.length);
  return Buffer.concat([tiff, text]);
}

/** Returns a segment of a JPEG. */
export function jpegSegment(marker: number, content: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** Inserts segments after the JPEG's beginning. */
export function withSegments(jpeg: Uint8Array, ...segments: Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

export const exifSegment = (orientation: number, note = "") =>
  jpegSegment(0xe1, Buffer.concat([toLatin1("Exif\0\0"), exifOf(orientation, note)]));

/** Returns a WebP with more chunks after the picture's, in the extended format that allows them. */
export function webpWith(webp: Uint8Array, chunks: Record<string, Uint8Array>): Buffer {
  const picture = webp.subarray(12);
  const chunkOf = (name: string, content: Uint8Array) => {
    const head = Buffer.alloc(8);
    head.write(name, "latin1");
    head.writeUInt32LE(content.length, 4);
    return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
  };
  const body = Buffer.concat([
    toLatin1("WEBP"),
    picture,
    ...Object.entries(chunks).map(([name, content]) => chunkOf(name, content)),
  ]);
  const head = Buffer.alloc(8);
  head.write("RIFF", "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}
