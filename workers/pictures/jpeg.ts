import { assertSize, MAX_PARTS } from "./bounds.ts";
import { Bytes, joinBytes } from "./bytes.ts";
import { orientationOf } from "./orientation.ts";
import { Refused } from "./refused.ts";

/**
 * A limit on the scans of a JPEG, because decoding each scan goes over the whole picture. Cameras and programs write
 * about ten.
 */
const MAX_SCANS = 64;

/**
 * Keeps only the parts of a JPEG that make its pixels: tables, frame and scans. Removes all metadata, and returns the
 * orientation from it. Source: ITU-T T.81, Annex B.
 *
 * @throws Refused also for a JPEG that is not in grey or three colours, or not Huffman-coded.
 */
export function cleanJpeg(file: Uint8Array): { file: Uint8Array; orientation: number } {
  const bytes = new Bytes(file);
  const kept = [bytes.part(0, 2)];
  let orientation = 1;
  let frames = 0;
  let scans = 0;
  for (let at = 2; ; ) {
    if (bytes.u8(at) !== 0xff) throw new Refused("file_broken");
    const marker = bytes.u8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xd9) break;
    const length = bytes.u16(at + 2);
    const segment = bytes.part(at, length + 2);
    at += length + 2;
    if (isFrame(marker)) {
      assertFrame(segment, marker);
      frames += 1;
      kept.push(segment);
    } else if (marker === 0xda) {
      scans += 1;
      const end = endOfScan(file, at);
      kept.push(segment, file.subarray(at, end));
      at = end;
    } else if (isTable(marker) || isAdobe(segment, marker)) {
      kept.push(segment);
    } else if (marker === 0xe1 && orientation === 1) {
      orientation = orientationOf(segment.subarray(4)) ?? 1;
    } else if (marker < 0xe0 && marker !== 0xfe) {
      throw new Refused("file_broken");
    }
    if (scans > MAX_SCANS || frames > 1 || kept.length > MAX_PARTS) throw new Refused("file_broken");
  }
  if (frames !== 1 || scans === 0) throw new Refused("file_broken");
  return { file: joinBytes([...kept, new Uint8Array([0xff, 0xd9])]), orientation };
}

const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** Markers of Huffman tables, quantization tables and the restart interval. */
const isTable = (marker: number) => [0xc4, 0xdb, 0xdd].includes(marker);
/** Whether a segment is Adobe's, which says how the colours are encoded. */
const isAdobe = (segment: Uint8Array, marker: number) =>
  marker === 0xee && segment.byteLength === 16 && String.fromCharCode(...segment.subarray(4, 9)) === "Adobe";

function assertFrame(segment: Uint8Array, marker: number): void {
  const frame = new Bytes(segment);
  const [bits, height, width, components] = [frame.u8(4), frame.u16(5), frame.u16(7), frame.u8(9)];
  // Accept only baseline, extended and progressive JPEGs with eight bits per sample.
  if (marker > 0xc2 || bits !== 8 || ![1, 3].includes(components)) throw new Refused("file_type_not_allowed");
  assertSize(width, height);
}

/**
 * Returns where the data of a scan ends: at the next marker that is not part of it. Throws for a file that is cut off
 * before such a marker.
 */
function endOfScan(file: Uint8Array, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0 && at + 1 < file.length; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] as number;
    const belongs = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!belongs) return at;
  }
  throw new Refused("file_broken");
}
