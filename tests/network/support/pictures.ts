import { readFileSync } from "node:fs";
import { join } from "node:path";
import { initWasm, Resvg } from "@resvg/resvg-wasm";

const wasm = join(import.meta.dirname, "../../../node_modules/@resvg/resvg-wasm/index_bg.wasm");
let ready: Promise<void> | undefined;

export interface Picture {
  width: number;
  height: number;
  /** Four bytes a pixel. */
  pixels: Uint8Array;
}

/** Reads a PNG's size and pixels. */
export async function readPng(bytes: Uint8Array): Promise<Picture> {
  const header = Buffer.from(bytes.subarray(0, 24));
  if (header.toString("latin1", 1, 8) !== "PNG\r\n\x1a\n") throw new Error("this is no PNG");
  const [width, height] = [header.readUInt32BE(16), header.readUInt32BE(20)];
  ready ??= initWasm(readFileSync(wasm));
  await ready;
  const href = `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image href="${href}"/></svg>`;
  return { width, height, pixels: new Resvg(svg).render().pixels };
}

/** Returns how many pixels of a rectangle are darker than the background of text. */
export function ink({ pixels, width }: Picture, [left, top, right, bottom]: [number, number, number, number]): number {
  let dark = 0;
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) if ((pixels[(y * width + x) * 4] ?? 255) < 128) dark++;
  }
  return dark;
}

/** Returns in how many pixels two pictures of the same size differ. */
export function differing(one: Picture, other: Picture): number {
  let count = 0;
  for (let at = 0; at < one.pixels.length; at += 4) {
    if (one.pixels[at] !== other.pixels[at] || one.pixels[at + 1] !== other.pixels[at + 1]) count++;
  }
  return count;
}
