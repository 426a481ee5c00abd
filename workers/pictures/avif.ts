import { cleanAv1 } from "./av1.ts";
import { type Container, Cursor, readContainer } from "./avif-container.ts";
import { assertSize, MAX_PIXELS } from "./bounds.ts";
import { Bytes, joinBytes } from "./bytes.ts";
import { Refused } from "./refused.ts";

/** Limits the pixels of all frames together, so that a picture has room for its alpha channel. */
const MAX_DECODED_PIXELS = 2 * MAX_PIXELS;
/** Limits the coded pictures, because the decoder starts again for each. A grid of 12 million pixels has 48 tiles. */
const MAX_CODED = 256;
/** Encoders store equal tiles once. So the tiles of a small picture may have more bytes than the file. */
const SHARED_BYTES = 1_000_000;

const ALPHA = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0";
const ALPHA_NAMES = [ALPHA, "urn:mpeg:hevc:2015:auxid:1\0"];

/** A coded picture, or a grid of them. */
interface Item {
  type: "av01" | "grid";
  data: Uint8Array[];
  properties: Uint8Array[];
  tiles: Item[];
  alpha: Item | null;
  is_premultiplied: boolean;
}

/**
 * Writes an AVIF that holds only the picture that the file shows first, and its alpha channel. Returns its orientation as
 * an Exif number. The decoder gets no other item, film, metadata, colour profile or surplus frame. Source: ISO/IEC 14496-12
 * and 23008-12; AV1 Image File Format, 2.
 *
 * @throws Refused also for a picture that is neither coded as AV1 nor a grid of such pictures.
 */
export function cleanAvif(file: Uint8Array): { file: Uint8Array; orientation: number } {
  const container = readContainer(new Bytes(file));
  const picture = new Picker(container, file.byteLength + SHARED_BYTES).pickItem(container.primary);
  const turn = container.propertyOf(container.primary, "irot");
  // `irot` counts quarter turns to the left.
  return { file: writeFile(picture), orientation: [1, 8, 3, 6][turn ? turn.u8(0) & 3 : 0] ?? 1 };
}

/** Picks the items that make a picture, and counts what it costs to decode them. */
class Picker {
  readonly #container: Container;
  #bytes_left: number;
  #pixels_left = MAX_DECODED_PIXELS;
  #coded_left = MAX_CODED;

  constructor(container: Container, most_bytes: number) {
    this.#container = container;
    this.#bytes_left = most_bytes;
  }

  pickItem(id: number): Item {
    const item = this.#pickColours(id);
    const alpha = this.#findAlpha(id);
    if (alpha === undefined) return item;
    item.alpha = this.#pickColours(alpha);
    item.alpha.properties.push(box("auxC", u32(0), latin1(ALPHA)));
    item.is_premultiplied = this.#targetsOf("prem", id).includes(alpha);
    return item;
  }

  #pickColours(id: number): Item {
    const type = this.#container.types.get(id);
    if (type === "grid") return this.#pickGrid(id);
    if (type === "av01") return this.#pickCoded(id);
    throw new Refused("file_broken");
  }

  /** Source: ISO/IEC 23008-12, 6.6.2.3. */
  #pickGrid(id: number): Item {
    const data = new Bytes(this.#dataOf(id));
    const numbers = new Cursor(data, 4);
    const number_size = data.u8(1) & 1 ? 4 : 2;
    const [width, height] = [numbers.take(number_size), numbers.take(number_size)];
    assertSize(width, height);
    const tiles = this.#targetsOf("dimg", id);
    if (tiles.length !== (data.u8(2) + 1) * (data.u8(3) + 1)) throw new Refused("file_broken");
    if (tiles.some((tile) => this.#container.types.get(tile) !== "av01")) throw new Refused("file_broken");
    return {
      type: "grid",
      data: [data.part(0, numbers.at)],
      properties: [sizeBox(width, height), ...this.#colourBoxes(id)],
      tiles: tiles.map((tile) => this.pickItem(tile)),
      alpha: null,
      is_premultiplied: false,
    };
  }

  #pickCoded(id: number): Item {
    this.#coded_left -= 1;
    if (this.#coded_left < 0) throw new Refused("file_broken");
    const { parts, width, height, frames } = cleanAv1(this.#dataOf(id));
    this.#pixels_left -= width * height * frames;
    if (this.#pixels_left < 0) throw new Refused("image_too_many_pixels");
    const settings = this.#container.propertyOf(id, "av1C");
    if (!settings) throw new Refused("file_broken");
    return {
      type: "av01",
      data: parts,
      // States the size of the frames themselves: the decoder would scale them to any other.
      properties: [sizeBox(width, height), box("av1C", settings.part(0, 4)), ...this.#colourBoxes(id)],
      tiles: [],
      alpha: null,
      is_premultiplied: false,
    };
  }

  #findAlpha(id: number): number | undefined {
    return this.#container.references.find(({ type, from, to }) => {
      const kind = type === "auxl" && to.includes(id) && this.#container.propertyOf(from, "auxC");
      return kind && ALPHA_NAMES.some((name) => kind.length >= 4 + name.length && kind.text(4, name.length) === name);
    })?.from;
  }

  #targetsOf(type: string, id: number): number[] {
    return this.#container.references.find((each) => each.type === type && each.from === id)?.to ?? [];
  }

  /** Returns the boxes with the bits of a sample and the meaning of its colour numbers. */
  #colourBoxes(id: number): Uint8Array[] {
    const bits = this.#container.propertyOf(id, "pixi");
    const space = this.#container.propertyOf(id, "colr", (content) => content.text(0, 4) === "nclx");
    return [
      ...(bits ? [box("pixi", bits.part(0, 5 + bits.u8(4)))] : []),
      ...(space ? [box("colr", space.part(0, 11))] : []),
    ];
  }

  #dataOf(id: number): Uint8Array {
    const parts = this.#container.extents.get(id) ?? [];
    this.#bytes_left -= parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (this.#bytes_left < 0) throw new Refused("file_broken");
    return joinBytes(parts);
  }
}

/** Numbers the items in the order of this list, from 1. */
function listItems(item: Item): Item[] {
  return [item, ...item.tiles.flatMap(listItems), ...(item.alpha ? listItems(item.alpha) : [])];
}

function writeFile(picture: Item): Uint8Array {
  const items = listItems(picture);
  const numbers = new Map(items.map((item, index) => [item, index + 1]));
  const numberOf = (item: Item) => u16(numbers.get(item) ?? 0);
  const type = box("ftyp", latin1("avif"), u32(0), latin1("avifmif1"));
  // The data come first, so that their places do not depend on the length of the tables.
  const data = box("mdat", ...items.flatMap((each) => each.data));
  let place = type.byteLength + 8;
  const places = items.map((item) => {
    const length = item.data.reduce((sum, part) => sum + part.byteLength, 0);
    place += length;
    // One extent, in this file.
    return joinBytes([numberOf(item), u16(0), u16(1), u32(place - length), u32(length)]);
  });
  const infos = items.map((item) => box("infe", u32(2 << 24), numberOf(item), u16(0), latin1(`${item.type}\0`)));
  const reference = (name: string, from: Item, to: Item[]) =>
    box(name, numberOf(from), u16(to.length), ...to.map(numberOf));
  const references = items.flatMap((item) => [
    ...(item.tiles.length > 0 ? [reference("dimg", item, item.tiles)] : []),
    ...(item.alpha ? [reference("auxl", item.alpha, [item])] : []),
    ...(item.alpha && item.is_premultiplied ? [reference("prem", item, [item.alpha])] : []),
  ]);
  let property = 0;
  const associations = items.map((item) =>
    joinBytes([
      numberOf(item),
      new Uint8Array([item.properties.length]),
      // The first bit says that a decoder must know the property.
      ...item.properties.map(() => u16(0x8000 | ++property)),
    ]),
  );
  const meta = box(
    "meta",
    u32(0),
    box("hdlr", u32(0), u32(0), latin1("pict"), new Uint8Array(13)),
    box("pitm", u32(0), numberOf(picture)),
    // Places and lengths have four bytes.
    box("iloc", u32(0), u16(0x4400), u16(items.length), ...places),
    box("iinf", u32(0), u16(items.length), ...infos),
    ...(references.length > 0 ? [box("iref", u32(0), ...references)] : []),
    box(
      "iprp",
      box("ipco", ...items.flatMap((item) => item.properties)),
      // Numbers of properties have two bytes.
      box("ipma", u32(1), u32(items.length), ...associations),
    ),
  );
  return joinBytes([type, data, meta]);
}

function sizeBox(width: number, height: number): Uint8Array {
  return box("ispe", u32(0), u32(width), u32(height));
}

function box(type: string, ...parts: Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, { byteLength }) => sum + byteLength, 8);
  return joinBytes([u32(length), latin1(type), ...parts]);
}

const u16 = (value: number) => new Uint8Array([value >> 8, value]);
const u32 = (value: number) => new Uint8Array([value >>> 24, value >> 16, value >> 8, value]);
const latin1 = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0));
