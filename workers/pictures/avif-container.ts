import { Bytes } from "./bytes.ts";
import { Refused } from "./refused.ts";

/** Limits each table of a file, because reading a table takes more memory than the table itself. */
const MAX_ENTRIES = 1000;
const MAX_EXTENTS = 100;

/** What an AVIF says of its items, which have numbers. Source: ISO/IEC 14496-12, 8.11, and 23008-12, 9.3. */
export interface Container {
  primary: number;
  /** The type of each item. */
  types: Map<number, string>;
  /** The parts of the file that hold each item's data. */
  extents: Map<number, Uint8Array[]>;
  references: { type: string; from: number; to: number[] }[];
  /** Returns an item's first property of a type that fits. */
  propertyOf(item: number, type: string, fits?: (content: Bytes) => boolean): Bytes | undefined;
}

export function readContainer(bytes: Bytes): Container {
  const meta = findBox(boxesOf(bytes, 0, bytes.length), "meta");
  const boxes = boxesOf(bytes, meta.from + 4, meta.to);
  const properties = findBox(boxes, "iprp");
  const property_boxes = boxesOf(bytes, properties.from, properties.to);
  const container = findBox(property_boxes, "ipco");
  const known = boxesOf(bytes, container.from, container.to);
  const places = readAssociations(table(bytes, findBox(property_boxes, "ipma")));
  const primary = table(bytes, findBox(boxes, "pitm"));
  const references = boxes.find(({ type }) => type === "iref");
  return {
    primary: primary.take(primary.version === 0 ? 2 : 4),
    types: readTypes(bytes, findBox(boxes, "iinf")),
    extents: readExtents(
      bytes,
      table(bytes, findBox(boxes, "iloc")),
      boxes.find(({ type }) => type === "idat"),
    ),
    references: references ? readReferences(bytes, references) : [],
    propertyOf(item, type, fits = () => true) {
      for (const place of places.get(item) ?? []) {
        const box = known[place - 1];
        const content = box && new Bytes(bytes.part(box.from, box.to - box.from));
        if (content && box.type === type && fits(content)) return content;
      }
      return undefined;
    },
  };
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
    const length = short === 1 ? new Cursor(bytes, at + 8).take(8) : short === 0 ? to - at : short;
    const header = short === 1 ? 16 : 8;
    if (length < header || at + length > to) throw new Refused("file_broken");
    boxes.push({ type: bytes.text(at + 4, 4), from: at + header, to: at + length });
    at += length;
  }
  return boxes;
}

function findBox(boxes: readonly Box[], type: string): Box {
  const box = boxes.find((each) => each.type === type);
  if (!box) throw new Refused("file_broken");
  return box;
}

/** Reads one number after another. */
export class Cursor {
  readonly #bytes: Bytes;
  at: number;

  constructor(bytes: Bytes, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** Reads a number of `size` bytes. */
  take(size: number): number {
    let value = 0;
    for (const end = this.at + size; this.at < end; this.at++) value = value * 256 + this.#bytes.u8(this.at);
    return value;
  }

  /** @throws Refused `file_broken` when the table is too long. */
  takeCount(size: number, most = MAX_ENTRIES): number {
    const count = this.take(size);
    if (count > most) throw new Refused("file_broken");
    return count;
  }
}

interface Table extends Cursor {
  version: number;
  flags: number;
}

/** Opens a box that begins with a version and flags. */
function table(bytes: Bytes, { from }: Box): Table {
  const cursor = new Cursor(bytes, from);
  return Object.assign(cursor, { version: cursor.take(1), flags: cursor.take(3) });
}

function readTypes(bytes: Bytes, box: Box): Map<number, string> {
  const list = table(bytes, box);
  list.takeCount(list.version === 0 ? 2 : 4);
  const types = new Map<number, string>();
  for (const { type, from, to } of boxesOf(bytes, list.at, box.to).slice(0, MAX_ENTRIES)) {
    const entry = table(bytes, { type, from, to });
    // Older versions name no type of four letters.
    if (type !== "infe" || entry.version < 2) continue;
    const id = entry.take(entry.version === 2 ? 2 : 4);
    types.set(id, bytes.text(entry.at + 2, 4));
  }
  return types;
}

/** Returns the data of all items that lie in the file or in the box `idat`. */
function readExtents(bytes: Bytes, list: Table, idat: Box | undefined): Map<number, Uint8Array[]> {
  const { version } = list;
  const [lengths, bases] = [list.take(1), list.take(1)];
  const [offset_size, length_size, base_size] = [lengths >> 4, lengths & 15, bases >> 4];
  const index_size = version === 0 ? 0 : bases & 15;
  const extents = new Map<number, Uint8Array[]>();
  const items = list.takeCount(version < 2 ? 2 : 4);
  for (let item = 0; item < items; item++) {
    const id = list.take(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : list.take(2) & 15;
    // The number of the file that holds the data: 0 is this one.
    list.take(2);
    const base = list.take(base_size);
    const count = list.takeCount(2, MAX_EXTENTS);
    const parts: Uint8Array[] = [];
    for (let extent = 0; extent < count; extent++) {
      list.take(index_size);
      const [offset, length] = [base + list.take(offset_size), list.take(length_size)];
      if (method === 0) parts.push(bytes.part(offset, length));
      else if (method === 1 && idat)
        parts.push(new Bytes(bytes.part(idat.from, idat.to - idat.from)).part(offset, length));
    }
    extents.set(id, parts);
  }
  return extents;
}

function readReferences(bytes: Bytes, box: Box): Container["references"] {
  const list = table(bytes, box);
  const id_size = list.version === 0 ? 2 : 4;
  return boxesOf(bytes, list.at, box.to)
    .slice(0, MAX_ENTRIES)
    .map(({ type, from }) => {
      const reference = new Cursor(bytes, from);
      const from_id = reference.take(id_size);
      const count = reference.takeCount(2);
      return { type, from: from_id, to: Array.from({ length: count }, () => reference.take(id_size)) };
    });
}

/** Returns the places of each item's properties, counted from 1. */
function readAssociations(list: Table): Map<number, number[]> {
  const places = new Map<number, number[]>();
  const items = list.takeCount(4);
  for (let item = 0; item < items; item++) {
    const id = list.take(list.version === 0 ? 2 : 4);
    const count = list.take(1);
    // The first bit says whether a decoder must know the property.
    const own = Array.from({ length: count }, () => (list.flags & 1 ? list.take(2) & 0x7fff : list.take(1) & 0x7f));
    places.set(id, own);
  }
  return places;
}
