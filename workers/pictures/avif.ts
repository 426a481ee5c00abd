import { assertSize } from "./bounds.ts";
import { Bytes } from "./bytes.ts";
import { Refused } from "./refused.ts";

/**
 * Checks the declared sizes of all pictures in an AVIF, and returns its orientation as an Exif number. The memory limit
 * of the decoder bounds the real size of the frames. Source: ISO/IEC 14496-12 and 23008-12: meta, iprp, ipco, ispe,
 * irot.
 */
export function checkAvif(file: Uint8Array): number {
  const bytes = new Bytes(file);
  const meta = findBox(bytes, 0, bytes.length, "meta");
  const properties = meta && findBox(bytes, meta.from + 4, meta.to, "iprp");
  const container = properties && findBox(bytes, properties.from, properties.to, "ipco");
  if (!container) throw new Refused("file_broken");
  const boxes = boxesOf(bytes, container.from, container.to);
  const sizes = boxes.filter(({ type }) => type === "ispe");
  if (sizes.length === 0) throw new Refused("file_broken");
  for (const { from } of sizes) assertSize(bytes.u32(from + 4), bytes.u32(from + 8));
  const turn = boxes.find(({ type }) => type === "irot");
  // `irot` counts quarter turns to the left.
  return [1, 8, 3, 6][turn ? bytes.u8(turn.from) & 3 : 0] ?? 1;
}

interface Box {
  type: string;
  /** Where the content of the box begins; `to` is where it ends. */
  from: number;
  to: number;
}

function boxesOf(bytes: Bytes, from: number, to: number): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to && boxes.length < 10_000; ) {
    const short = bytes.u32(at);
    const length = short === 1 ? bytes.u32(at + 8) * 2 ** 32 + bytes.u32(at + 12) : short === 0 ? to - at : short;
    const header = short === 1 ? 16 : 8;
    if (length < header || at + length > to) throw new Refused("file_broken");
    boxes.push({ type: bytes.text(at + 4, 4), from: at + header, to: at + length });
    at += length;
  }
  return boxes;
}

function findBox(bytes: Bytes, from: number, to: number, type: string): Box | undefined {
  return boxesOf(bytes, from, to).find((box) => box.type === type);
}
