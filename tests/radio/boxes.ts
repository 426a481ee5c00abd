/**
 * Reads ISO base media files for the tests. It shares no code with the writer: it reads offsets as ISO/IEC 14496-12
 * states them.
 */

export interface Box {
  type: string;
  /** The offset of the box in the file. */
  offset: number;
  size: number;
  /** The content after size and type. */
  body: DataView;
  children: Box[];
}

const CONTAINERS = new Set(["moov", "trak", "edts", "mdia", "minf", "dinf", "stbl", "mvex", "moof", "traf"]);

/** Returns the boxes of a file. Throws when a box does not fit into its parent. */
export function readBoxes(bytes: Uint8Array, begin = 0, end = bytes.length): Box[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const boxes: Box[] = [];
  let offset = begin;
  while (offset < end) {
    const size = view.getUint32(offset);
    const type = textAt(view, offset + 4, 4);
    if (size < 8 || offset + size > end) throw new Error(`the box ${type} at ${offset} does not fit`);
    const body = new DataView(bytes.buffer, bytes.byteOffset + offset + 8, size - 8);
    const children = CONTAINERS.has(type) ? readBoxes(bytes, offset + 8, offset + size) : [];
    boxes.push({ type, offset, size, body, children });
    offset += size;
  }
  return boxes;
}

/** Returns the only box at a path such as `moov/trak/mdia`. Throws when there is none, or more than one. */
export function boxAt(boxes: readonly Box[], path: string): Box {
  const [type, ...rest] = path.split("/");
  const found = boxes.filter((box) => box.type === type);
  const [box] = found;
  if (!box || found.length !== 1) throw new Error(`${found.length} boxes are at ${path}`);
  return rest.length === 0 ? box : boxAt(box.children, rest.join("/"));
}

export function textAt(view: DataView, offset: number, length: number): string {
  return String.fromCharCode(...Array.from({ length }, (_, index) => view.getUint8(offset + index)));
}

/** Returns `count` numbers of 32 bits. */
export function listAt(view: DataView, offset: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => view.getUint32(offset + index * 4));
}

const bytesOf = (file: Uint8Array, offset: number, size: number) =>
  Uint8Array.from(file.subarray(offset, offset + size));

/** Returns packets as texts, which are compared and shown quickly. */
export function hexOf(packets: readonly Uint8Array[]): string[] {
  return packets.map((packet) => Buffer.from(packet).toString("hex"));
}

/** Returns the packets of a file that is not fragmented, found by its sample tables. */
export function readSamples(file: Uint8Array): Uint8Array[] {
  const stbl = boxAt(readBoxes(file), "moov/trak/mdia/minf/stbl").children;
  const stsz = boxAt(stbl, "stsz").body;
  const sizes = listAt(stsz, 12, stsz.getUint32(8));
  const stco = boxAt(stbl, "stco").body;
  const offsets = listAt(stco, 8, stco.getUint32(4));
  const stsc = boxAt(stbl, "stsc").body;
  const runs = Array.from({ length: stsc.getUint32(4) }, (_, run) => listAt(stsc, 8 + run * 12, 3));
  const samples: Uint8Array[] = [];
  offsets.forEach((chunk_offset, index) => {
    const run = runs.findLast(([first = 0]) => first <= index + 1);
    let offset = chunk_offset;
    for (let count = 0; count < (run?.[1] ?? 0); count++) {
      const size = sizes[samples.length] ?? 0;
      samples.push(bytesOf(file, offset, size));
      offset += size;
    }
  });
  if (samples.length !== sizes.length) throw new Error("the chunks hold another number of samples than the sizes");
  return samples;
}

export interface Fragment {
  sequence: number;
  began_at: number;
  packets: Uint8Array[];
}

/** Returns the packets of a media segment, found by its fragment. */
export function readFragment(segment: Uint8Array): Fragment {
  const boxes = readBoxes(segment);
  const moof = boxAt(boxes, "moof");
  const { body: trun } = boxAt(moof.children, "traf/trun");
  const count = trun.getUint32(4);
  let offset = moof.offset + trun.getInt32(8);
  const packets = listAt(trun, 12, count).map((size) => {
    offset += size;
    return bytesOf(segment, offset - size, size);
  });
  return {
    sequence: boxAt(moof.children, "mfhd").body.getUint32(4),
    began_at: Number(boxAt(moof.children, "traf/tfdt").body.getBigUint64(4)),
    packets,
  };
}

/** Removes what fills packets of silence: a fill element of ISO/IEC 14496-3, table 4.11, and seven empty ones. */
function withoutFill(packet: Uint8Array): Uint8Array {
  const bits = [...packet].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const [, count] = /^1101111([01]{8})/.exec(bits) ?? [];
  if (count === undefined) return packet;
  const filled = 15 + 8 * (14 + Number.parseInt(count, 2));
  if (!bits.slice(filled).startsWith("1100000".repeat(7))) throw new Error("the fill elements are not whole bytes");
  return packet.subarray((filled + 49) / 8);
}

/** Returns the packets of an ADTS stream, without what fills them. Throws when a header is not that of AAC-LC at 48 kHz with one channel. */
export function readAdts(stream: Uint8Array): Uint8Array[] {
  const packets: Uint8Array[] = [];
  for (let offset = 0; offset + 7 <= stream.length; ) {
    const [b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0] = stream.subarray(offset, offset + 6);
    const fields = {
      sync: (b0 << 4) | (b1 >> 4),
      has_no_checksum: b1 & 1,
      object_type: (b2 >> 6) + 1,
      frequency_index: (b2 >> 2) & 0xf,
      channels: ((b2 & 1) << 2) | (b3 >> 6),
    };
    const expected = { sync: 0xfff, has_no_checksum: 1, object_type: 2, frequency_index: 3, channels: 1 };
    if (JSON.stringify(fields) !== JSON.stringify(expected)) throw new Error(`no ADTS header at ${offset}`);
    const length = ((b3 & 3) << 11) | (b4 << 3) | (b5 >> 5);
    if (offset + length > stream.length) break;
    packets.push(withoutFill(bytesOf(stream, offset + 7, length - 7)));
    offset += length;
  }
  return packets;
}
