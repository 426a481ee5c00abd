import { GifReader } from "omggif";
import { assertSize, MAX_PARTS } from "./bounds.ts";
import { Bytes, joinBytes } from "./bytes.ts";
import type { Pixels } from "./pixels.ts";
import { Refused } from "./refused.ts";

/** Decodes the first frame of a GIF. Source: https://www.w3.org/Graphics/GIF/spec-gif89a.txt */
export function decodeGif(file: Uint8Array): Pixels {
  const bytes = new Bytes(file);
  const [width, height] = [bytes.u16(6, true), bytes.u16(8, true)];
  assertSize(width, height);
  const first = extractFirstFrame(bytes, width, height);
  const data = new Uint8ClampedArray(width * height * 4);
  try {
    const reader = new GifReader(first);
    reader.decodeAndBlitFrameRGBA(0, data);
  } catch (error) {
    throw new Refused("file_broken", error);
  }
  return { width, height, data };
}

/**
 * Returns the file up to the end of its first frame, without metadata. The GIF reader would store an entry for every
 * further frame, and a file may have a million of them.
 */
function extractFirstFrame(bytes: Bytes, width: number, height: number): Uint8Array {
  const colourTableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  const afterBlocks = (from: number) => {
    let at = from;
    for (let length = bytes.u8(at); length > 0; length = bytes.u8(at)) at += length + 1;
    return at + 1;
  };
  let at = 13 + colourTableBytes(bytes.u8(10));
  const kept = [bytes.part(0, at)];
  for (;;) {
    const block = bytes.u8(at);
    if (block === 0x21) {
      const end = afterBlocks(at + 2);
      // This block says which colour of the next frame is transparent.
      if (bytes.u8(at + 1) === 0xf9) kept.push(bytes.part(at, end - at));
      if (kept.length > MAX_PARTS) throw new Refused("file_broken");
      at = end;
    } else if (block === 0x2c) {
      const [left, top] = [bytes.u16(at + 1, true), bytes.u16(at + 3, true)];
      const [frame_width, frame_height] = [bytes.u16(at + 5, true), bytes.u16(at + 7, true)];
      if (left + frame_width > width || top + frame_height > height || frame_width * frame_height === 0) {
        throw new Refused("file_broken");
      }
      const data = at + 10 + colourTableBytes(bytes.u8(at + 9));
      const end = afterBlocks(data + 1);
      kept.push(bytes.part(at, end - at), new Uint8Array([0x3b]));
      return joinBytes(kept);
    } else {
      throw new Refused("file_broken");
    }
  }
}
