import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAacModule } from "../../scripts/aac-module.ts";
import { browser, network } from "../support/network.ts";

/** The encoder of AAC for browsers without one. LGPL-2.1, sections 1, 4 and 6: notice, license, and a library that can be replaced. */

const assets = join(import.meta.dirname, "../../build/client/assets");
const get = async (path: string, headers: HeadersInit = {}) => fetch((await network()).url + path, { headers });

test("the encoder is FFmpeg's own file, apart from our scripts, and browsers keep it", async () => {
  const name = readdirSync(assets).find((file) => /^ffmpeg-aac-[0-9a-f]{8}\.wasm$/.test(file));
  const response = await get(`/assets/${name}`, { "accept-encoding": "gzip, br" });
  expect([response.status, response.headers.get("content-type"), response.headers.get("cache-control")]).toEqual([
    200,
    "application/wasm",
    "public, max-age=31536000, immutable",
  ]);
  expect(response.headers.get("content-encoding")).toBe("br");
  expect(Buffer.from(await response.arrayBuffer()).equals(readAacModule().wasm)).toBe(true);
});

test("the help leads to the encoder's notice, licenses and sources", async () => {
  expect((await (await browser()).get("/help")).text).toContain('href="/licenses.txt"');
  const response = await get("/licenses.txt");
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const text = await response.text();
  const { wasm } = readAacModule();
  // libavcodec contains its own version.
  const [, version] = /Lavc([\d.]+)/.exec(Buffer.from(wasm).toString("latin1")) ?? [];
  expect(text).toContain(`libavcodec ${version}`);
  for (const part of [
    "FFmpeg",
    "GNU LESSER GENERAL PUBLIC LICENSE",
    "Mozilla Public License",
    "https://github.com/FFmpeg/FFmpeg",
    "https://github.com/Vanilagy/mediabunny",
  ]) {
    expect(text).toContain(part);
  }
});
