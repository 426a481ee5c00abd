/**
 * An archive of any size takes the same memory. The usual run writes 200 MB; ARCHIVE_MB=10000 writes 10 GB, more than half
 * of which lies beyond the 4 GiB that a ZIP without 64-bit records can address.
 */
import { spawnSync } from "node:child_process";
import { createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { streamZip, writeZip, type ZipEntry } from "../../workers/api/zip/writer.ts";
import { watchOthers } from "../support/others.ts";

const MEGABYTE = 1024 * 1024;
const MEGABYTES = Number(process.env.ARCHIVE_MB ?? 200);
const MODIFIED_MS = Date.UTC(2026, 10, 20);

/** Writes an archive to a file. Returns its size, the most memory that its writing took, and a judgement of its reader. */
async function writeToFile(entries: AsyncGenerator<ZipEntry>) {
  // The temporary folder of tests may lie in memory.
  const folder = mkdtempSync(join(MEGABYTES > 1000 ? ".cache" : tmpdir(), "zip-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "archive.zip");
  const usedBytes = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const before = usedBytes();
  let most = 0;
  async function* watched() {
    let pieces = 0;
    for await (const piece of writeZip(entries)) {
      if (pieces++ % 100 === 0) most = Math.max(most, usedBytes() - before);
      yield piece;
    }
  }
  await pipeline(Readable.from(watched(), { objectMode: false }), createWriteStream(file));
  const code = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(len(z.namelist()), z.testzip())";
  const read = spawnSync("python3", ["-c", code, file], { encoding: "utf8" });
  return { bytes: statSync(file).size, most, said: read.error ? null : read.stdout.trim() || read.stderr };
}

test(`writes ${MEGABYTES} MB in the memory of a few pieces, and any reader reads them`, {
  timeout: 1_800_000,
}, async () => {
  const piece = new Uint8Array(64 * 1024).map((_, at) => (at * 7919) & 255);
  let count = 0;
  async function* entries(): AsyncGenerator<ZipEntry> {
    for (let left = MEGABYTES; left > 0; left -= 10) {
      const film = Array.from({ length: 10 * 16 }, () => piece);
      yield { name: `media/${++count}.mp4`, modified_ms: MODIFIED_MS, is_text: false, body: film };
      const words = [new TextEncoder().encode("今朝は五時に起きて、海まで歩きました。\n".repeat(1000))];
      yield { name: `posts/${count}.md`, modified_ms: MODIFIED_MS, is_text: true, body: words };
    }
  }
  const { bytes, most, said } = await writeToFile(entries());
  expect(bytes).toBeGreaterThan(MEGABYTES * MEGABYTE);
  expect(bytes).toBeLessThan(MEGABYTES * MEGABYTE * 1.01);
  expect(most).toBeLessThan(64 * MEGABYTE);
  if (said !== null) expect(said).toBe(`${2 * count} None`);
});

test("lists more files than a directory without 64-bit records can count", async () => {
  async function* entries(): AsyncGenerator<ZipEntry> {
    for (let n = 0; n < 65_600; n++) {
      yield { name: `${n}.txt`, modified_ms: 0, is_text: false, body: [new Uint8Array([n & 255])] };
    }
  }
  const { said } = await writeToFile(entries());
  if (said !== null) expect(said).toBe("65600 None");
});

test("stops reading a file when the reader of the archive leaves", async () => {
  let is_stopped = false;
  async function* endless() {
    try {
      for (;;) yield new Uint8Array(1024);
    } finally {
      is_stopped = true;
    }
  }
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield { name: "endless.mp4", modified_ms: MODIFIED_MS, is_text: false, body: endless() };
  }
  let pieces = 0;
  for await (const _ of writeZip(entries())) if (++pieces === 5) break;
  expect(is_stopped).toBe(true);
});

test("lets others run while it writes many small files", async () => {
  async function* entries(): AsyncGenerator<ZipEntry> {
    const words = [new TextEncoder().encode("おはよう")];
    for (let left = 100; left > 0; left--)
      yield { name: `${left}`, modified_ms: MODIFIED_MS, is_text: false, body: words };
  }
  const haveOthersRun = watchOthers();
  const pieces: Uint8Array[] = [];
  for await (const piece of streamZip(entries(), "request-0001")) pieces.push(piece);
  expect(haveOthersRun()).toBe(true);
  expect(pieces.length).toBeGreaterThan(300);
});

test("logs an archive that breaks off with the request's id", async () => {
  async function* broken() {
    yield new Uint8Array(1024);
    throw new Error("get: We encountered an internal error. Please try again. (10001)");
  }
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield { name: "broken.mp4", modified_ms: MODIFIED_MS, is_text: false, body: broken() };
  }
  const logged = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => logged.mockRestore());
  await expect(new Response(streamZip(entries(), "request-0001") as BodyInit).arrayBuffer()).rejects.toThrow("10001");
  expect(logged.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
    expect.objectContaining({ request_id: "request-0001", message: expect.stringContaining("(10001)") }),
  ]);
});

test("logs no failure of a file after the reader of the archive has left", async () => {
  const { promise, reject } = Promise.withResolvers<Uint8Array>();
  const asked = Promise.withResolvers<void>();
  async function* waiting() {
    asked.resolve();
    yield await promise;
  }
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield { name: "waiting.mp4", modified_ms: MODIFIED_MS, is_text: false, body: waiting() };
  }
  const logged = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => logged.mockRestore());
  const reader = streamZip(entries(), "request-0001").getReader();
  // The first piece is the header of the file.
  await reader.read();
  const read = reader.read();
  await asked.promise;
  const canceled = reader.cancel();
  reject(new Error("cut off"));
  await canceled;
  expect(await read).toEqual({ done: true, value: undefined });
  expect(logged).not.toHaveBeenCalled();
});
