import { expect, test } from "vitest";
import { decodeGif } from "../../workers/pictures/gif.ts";
import { cleanJpeg } from "../../workers/pictures/jpeg.ts";
import { gifOf, jpegOf, jpegSegment, quarters, withSegments } from "../support/pictures.ts";

const MANY = 30_000;
const FEW = 3000;

test("a JPEG may have thousands of tables, but not a list that takes more memory than the file", async () => {
  const jpeg = await jpegOf(quarters(16, 16));
  const withTables = (count: number) => {
    const table = jpegSegment(0xdb, Buffer.alloc(0));
    return withSegments(jpeg, Buffer.alloc(table.length * count, table));
  };
  cleanJpeg(withTables(FEW));
  expect(() => cleanJpeg(withTables(MANY))).toThrow("file_broken");
});

test("a GIF may have thousands of blocks before its frame, but not a list that takes more memory than the file", () => {
  const withBlocks = (count: number) => gifOf(4, 4, { before: "!\xf9\x04\0\0\0\0\0".repeat(count) });
  expect(decodeGif(withBlocks(FEW))).toMatchObject({ width: 4, height: 4 });
  expect(() => decodeGif(withBlocks(MANY))).toThrow("file_broken");
});
