import { assertSize } from "./bounds.ts";
import { Bytes, joinBytes } from "./bytes.ts";
import { orientationOf } from "./orientation.ts";
import { Refused } from "./refused.ts";

interface Chunk {
  name: string;
  /** The bytes of the chunk, including its name and length, padded to an even length. */
  whole: Uint8Array;
  content: Bytes;
}

/**
 * Keeps only the pixels of a WebP, or of the first frame of an animated one, and returns its orientation. Source:
 * https://developers.google.com/speed/webp/docs/riff_container, RFC 9649.
 */
export function cleanWebp(file: Uint8Array): { file: Uint8Array; orientation: number } {
  const bytes = new Bytes(file);
  const chunks = chunksOf(bytes.part(12, bytes.u32(4, true) - 4));
  const exif = chunks.find(({ name }) => name === "EXIF");
  const frame = chunks.find(({ name }) => name === "ANMF");
  // The first 16 bytes of a frame are its position, size and duration. Its chunks follow.
  const shown = frame ? chunksOf(frame.content.part(16, frame.content.length - 16)) : chunks;
  const picture = shown.find(({ name }) => name === "VP8 " || name === "VP8L");
  if (!picture) throw new Refused("file_broken");
  const { width, height } = picture.name === "VP8L" ? losslessSize(picture.content) : lossySize(picture.content);
  assertSize(width, height);
  const alpha = picture.name === "VP8 " && shown.find(({ name }) => name === "ALPH");
  const kept = alpha ? [extendedHeader(width, height), alpha.whole, picture.whole] : [picture.whole];
  const riff = new TextEncoder().encode("RIFF\0\0\0\0WEBP");
  new DataView(riff.buffer).setUint32(4, 4 + kept.reduce((sum, part) => sum + part.byteLength, 0), true);
  return {
    file: joinBytes([riff, ...kept]),
    orientation: (exif && orientationOf(exif.content.all)) ?? 1,
  };
}

function chunksOf(part: Uint8Array): Chunk[] {
  const bytes = new Bytes(part);
  const chunks: Chunk[] = [];
  for (let at = 0; at + 8 <= bytes.length && chunks.length < 10_000; ) {
    const length = bytes.u32(at + 4, true);
    const content = bytes.part(at + 8, length);
    const odd = length % 2;
    chunks.push({
      name: bytes.text(at, 4),
      whole: odd ? joinBytes([bytes.part(at, 8 + length), new Uint8Array(1)]) : bytes.part(at, 8 + length),
      content: new Bytes(content),
    });
    at += 8 + length + odd;
  }
  return chunks;
}

function losslessSize(content: Bytes): { width: number; height: number } {
  if (content.u8(0) !== 0x2f) throw new Refused("file_broken");
  const bits = content.u32(1, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function lossySize(content: Bytes): { width: number; height: number } {
  if (content.u24le(3) !== 0x2a019d) throw new Refused("file_broken");
  return { width: content.u16(6, true) & 0x3fff, height: content.u16(8, true) & 0x3fff };
}

/** Returns the header that a picture with an alpha channel needs. */
function extendedHeader(width: number, height: number): Uint8Array {
  const chunk = new Uint8Array(18);
  chunk.set(new TextEncoder().encode("VP8X"));
  const view = new DataView(chunk.buffer);
  view.setUint32(4, 10, true);
  view.setUint8(8, 0x10);
  view.setUint16(12, (width - 1) & 0xffff, true);
  view.setUint16(15, (height - 1) & 0xffff, true);
  return chunk;
}
