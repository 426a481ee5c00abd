import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { cleanAvif } from "../../workers/pictures/avif.ts";
import { avifOf, cornerColours, decodeServed, drawPicture, type Picture, quarters } from "../support/pictures.ts";

const decode = (file: Uint8Array) => decodeServed("image/avif", file);

/** A picture of 128 x 128, written by avifenc, ffmpeg or heif-enc. */
const sample = (name: string) => new Uint8Array(readFileSync(new URL(`samples/${name}.avif`, import.meta.url)));

async function expectSamePixels(file: Uint8Array): Promise<Picture> {
  const clean = await decode(cleanAvif(file).file);
  expect(clean).toEqual(await decode(file));
  return clean;
}

describe("a picture that an encoder wrote", () => {
  test.each([
    ["grid-with-alpha", 1, "RGBW"],
    ["premultiplied", 1, "RGBW"],
    ["ten-bits-turned", 8, "RGBW"],
    ["animation", 1, "RGBW"],
    ["with-thumbnail", 1, "RGBW"],
  ])("keeps its pixels: %s", async (name, orientation, colours) => {
    const file = sample(name);
    expect(cornerColours(await expectSamePixels(file))).toBe(colours);
    expect(cleanAvif(file).orientation).toBe(orientation);
  });

  test.each([
    ["of grey", { subsample: 0 }],
    ["without subsampling", { subsample: 3 }],
    ["without loss", { lossless: true }],
    ["of ten bits", { bitDepth: 10 }],
    ["of tiles", { tileRowsLog2: 1, tileColsLog2: 1 }],
  ])("keeps its pixels: %s", async (_, options) => {
    await expectSamePixels(await avifOf(quarters(300, 200), options));
  });

  test("keeps its alpha channel", async () => {
    const { data } = await expectSamePixels(await avifOf(drawPicture(40, 30, (x) => [200, 9, 9, x * 6])));
    expect(data[3]).toBeLessThan(10);
  });

  test("loses all that makes no pixels", async () => {
    const words = (file: Uint8Array) => Buffer.from(file).toString("latin1");
    const [animation, thumbnail] = [sample("animation"), sample("with-thumbnail")];
    expect([words(animation).includes("moov"), words(thumbnail).includes("thmb")]).toEqual([true, true]);
    expect(words(cleanAvif(animation).file)).not.toContain("moov");
    expect(words(cleanAvif(thumbnail).file)).not.toContain("thmb");
    expect(words(cleanAvif(Buffer.concat([thumbnail, Buffer.from("hello")])).file)).not.toContain("hello");
  });
});

/** Returns a box's place and length in a file whose boxes are no larger than 4 GB. */
function findBox(file: Buffer, type: string): { at: number; length: number } {
  const at = file.indexOf(type, 0, "latin1") - 4;
  return { at, length: file.readUInt32BE(at) };
}

const TILE_LIST = 8;
const obu = (type: number, ...content: number[]) => Buffer.from([(type << 3) | 2, content.length, ...content]);

/** Changes the coded data of a file that has one coded picture, at its end. */
function withData(file: Uint8Array, change: (data: Buffer) => Buffer): Buffer {
  const bytes = Buffer.from(file);
  const mdat = findBox(bytes, "mdat");
  const data = change(bytes.subarray(mdat.at + 8));
  const changed = Buffer.concat([bytes.subarray(0, mdat.at + 8), data]);
  changed.writeUInt32BE(data.length + 8, mdat.at);
  // The last number of the box is the length of the only extent.
  const iloc = findBox(changed, "iloc");
  changed.writeUInt32BE(data.length, iloc.at + iloc.length - 4);
  return changed;
}

/** Splits coded data into their units, which have lengths of one or two bytes. */
function unitsOf(data: Buffer): Buffer[] {
  const units: Buffer[] = [];
  for (let at = 0; at < data.length; ) {
    const [low = 0, high = 0] = data.subarray(at + 1);
    const length = low < 128 ? low + 2 : (low & 127) + high * 128 + 3;
    units.push(data.subarray(at, at + length));
    at += length;
  }
  return units;
}

describe("a hostile file", () => {
  const flat = () => avifOf(drawPicture(64, 64, () => [9, 9, 9]));
  const repeat = (times: number, part: Buffer) => Buffer.concat(Array.from({ length: times }, () => part));
  const isFrame = (unit: Buffer) => (unit[0] ?? 0) >> 3 === 6;

  /** Returns a small picture whose sequence header states another size, with its frame several times. */
  async function sized(width: number, height: number, times = 1): Promise<Buffer> {
    const toBits = (side: number) => (side - 1).toString(2).padStart(16, "0");
    // A sequence header of a still picture: profile, two flags, level; sizes of 16 bits; and more.
    const bits = `00011000001111${"1111"}${toBits(width)}${toBits(height)}`.padEnd(64, "0");
    const header = obu(1, ...(bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
    return withData(await flat(), (data) =>
      Buffer.concat([header, repeat(times, unitsOf(data).find(isFrame) as Buffer)]),
    );
  }

  /** Returns a grid of the same tile many times, without alpha channel. `padding` bytes follow the data of the tile. */
  function gridOf(rows: number, columns: number, padding = 0): Buffer {
    const given = Buffer.from(sample("grid-with-alpha"));
    // The second item: its number, file and count of extents, each of two bytes; then the place and the length.
    const entry = findBox(given, "iloc").at + 16 + 14;
    const [place, bytes] = [given.readUInt32BE(entry + 6), given.readUInt32BE(entry + 10)];
    const data = Buffer.concat([
      given.subarray(place, place + bytes),
      repeat(padding / 100, obu(15, ...Buffer.alloc(98))),
    ]);
    given.writeUInt32BE(given.length + 8, entry + 6);
    given.writeUInt32BE(data.length, entry + 10);
    const free = Buffer.from("0000free", "latin1");
    free.writeUInt32BE(data.length + 8);
    const file = Buffer.concat([given, free, data]);
    file.set([rows - 1, columns - 1], findBox(file, "mdat").at + 8 + 2);
    const { at, length } = findBox(file, "meta");
    const meta = Buffer.from(file.subarray(at, at + length));
    const [references, tiles] = [findBox(meta, "iref"), findBox(meta, "dimg")];
    const added = Buffer.alloc((rows * columns - 4) * 2, Buffer.from([0, 2]));
    const end = tiles.at + tiles.length;
    const changed = Buffer.concat([meta.subarray(0, end), added, meta.subarray(end)]);
    for (const { at: box, length: old } of [{ at: 0, length }, references, tiles]) {
      changed.writeUInt32BE(old + added.length, box);
    }
    changed.writeUInt16BE(rows * columns, tiles.at + 10);
    changed.write("none", changed.indexOf("auxl"), "latin1");
    // The places of the data stay the same: the new tables follow the data, and the old ones are a free box.
    file.write("free", at + 4, "latin1");
    return Buffer.concat([file, changed]);
  }

  test("has its picture many times, with or without more headers", async () => {
    const file = await flat();
    expect(withData(file, (data) => data)).toEqual(Buffer.from(file));
    for (const times of [2, 700]) {
      expect(() => cleanAvif(withData(file, (data) => repeat(times, data)))).toThrow("file_broken");
    }
    const framesOf = (times: number) =>
      withData(file, (data) => {
        const units = unitsOf(data);
        const frame = units.find(isFrame) as Buffer;
        return Buffer.concat([...units, repeat(times - 1, frame)]);
      });
    // Layers are frames.
    await decode(cleanAvif(framesOf(4)).file);
    expect(() => cleanAvif(framesOf(5))).toThrow("file_broken");
  });

  test("has a frame that is a header and its tiles, many times", async () => {
    const header = (times: number) => async () =>
      cleanAvif(withData(await flat(), (data) => Buffer.concat([data, repeat(times, obu(3, 0x80))])));
    await header(3)();
    await expect(header(4)).rejects.toThrow("file_broken");
  });

  test("has padding and metadata beside its frames, which are dropped", async () => {
    const file = await flat();
    const clean = cleanAvif(file).file;
    const padded = withData(file, (data) =>
      Buffer.concat([obu(2), data, repeat(9, obu(5, 1, 1)), repeat(9, obu(15, 7))]),
    );
    expect(cleanAvif(padded).file).toEqual(clean);
    const listed = withData(file, (data) => Buffer.concat([data, obu(TILE_LIST, 0, 0, 0, 0)]));
    expect(() => cleanAvif(listed)).toThrow("file_broken");
  });

  test("states a small size and has large frames", async () => {
    cleanAvif(await sized(4000, 4000));
    await expect(sized(4001, 4000).then(cleanAvif)).rejects.toThrow("image_too_many_pixels");
  });

  test("has many frames of the largest size", async () => {
    const frames = (times: number) => async () => cleanAvif(await sized(4000, 4000, times));
    await frames(2)();
    await expect(frames(3)()).rejects.toThrow("image_too_many_pixels");
  });

  test("has more tiles than a picture needs, all of them the same one", () => {
    const clean = Buffer.from(cleanAvif(gridOf(16, 16)).file);
    expect(clean.readUInt16BE(findBox(clean, "iinf").at + 12)).toBe(257);
    expect(() => cleanAvif(gridOf(16, 17))).toThrow("file_broken");
  });

  test("has a grid without all its tiles", () => {
    const file = Buffer.from(sample("grid-with-alpha"));
    // Rows and columns, less one.
    file[findBox(file, "mdat").at + 8 + 2] = 2;
    expect(() => cleanAvif(file)).toThrow("file_broken");
  });

  test("has one tile of many bytes, many times", () => {
    cleanAvif(gridOf(16, 16, 3000));
    expect(() => cleanAvif(gridOf(16, 16, 6000))).toThrow("file_broken");
  });

  test("has a longer list of items than any picture needs", () => {
    const file = Buffer.from(sample("premultiplied"));
    const count_at = findBox(file, "iinf").at + 12;
    file.writeUInt16BE(1000, count_at);
    cleanAvif(file);
    file.writeUInt16BE(1001, count_at);
    expect(() => cleanAvif(file)).toThrow("file_broken");
  });

  test("is cut off anywhere, and no decoder gets it", () => {
    const file = sample("grid-with-alpha");
    for (let length = 0; length < file.length; length++) {
      expect(() => cleanAvif(file.subarray(0, length)), `${length} bytes`).toThrow("file_broken");
    }
  });
});
