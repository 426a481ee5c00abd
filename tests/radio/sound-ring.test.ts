import { expect, test } from "vitest";
import { answerRange } from "../../workers/radio/progressive.ts";
import { SoundRing } from "../../workers/radio/sound-ring.ts";

const block = (value: number) => new Uint8Array(10).fill(value);
const ENDLESS = Number.MAX_SAFE_INTEGER;
/** Half a second of AAC at 64 kbit/s: 24 packets of 171 bytes, with their ADTS headers of 7. */
const BLOCK_BYTES = 24 * (171 + 7);
/** What Chromium collects before its player gets anything. */
const CHROMIUM_BLOCK_BYTES = 32_768;

async function readAll(stream: ReadableStream<Uint8Array>): Promise<number[]> {
  const values: number[] = [];
  for await (const part of stream) values.push(...part);
  return values;
}

test("a new reader gets enough for Chromium to begin at once, and each later block once", async () => {
  const ring = new SoundRing();
  for (let value = 0; value < 20; value++) ring.push(block(value));
  const reader = ring.open("a", ENDLESS).getReader();
  const values: (number | undefined)[] = [];
  while (values.length * BLOCK_BYTES < CHROMIUM_BLOCK_BYTES) values.push((await reader.read()).value?.[0]);
  const waiting = reader.read();
  ring.push(block(20));
  values.push((await waiting).value?.[0]);
  expect(values).toEqual([12, 13, 14, 15, 16, 17, 18, 19, 20]);
});

test("stalled readers are dropped, and do not delay the others", async () => {
  const ring = new SoundRing();
  const stalled = Array.from({ length: 50 }, (_, index) => ring.open(`stalled ${index}`, ENDLESS));
  const reader = ring.open("reads", ENDLESS).getReader();
  const values: (number | undefined)[] = [];
  for (let value = 0; value < 100; value++) {
    ring.push(block(value));
    values.push((await reader.read()).value?.[0]);
  }
  expect(values).toEqual(Array.from({ length: 100 }, (_, value) => value));
  expect(ring.listListeners()).toEqual(["reads"]);
  // They get no backlog when they read again.
  expect(await stalled[0]?.getReader().read()).toMatchObject({ done: true });
});

test("a reader who leaves is forgotten", async () => {
  const ring = new SoundRing();
  await ring.open("a", ENDLESS).cancel();
  expect(ring.readers).toBe(0);
});

test("a stream ends when the radio ends, after its last block", async () => {
  const ring = new SoundRing();
  const values = readAll(ring.open("a", ENDLESS));
  ring.push(block(1));
  ring.close();
  expect(await values).toEqual(Array(10).fill(1));
});

test("a stream ends after the bytes that were asked for", async () => {
  const ring = new SoundRing();
  ring.push(block(1));
  ring.push(block(2));
  expect(await readAll(ring.open("a", 12))).toEqual([...Array(10).fill(1), 2, 2]);
  expect(ring.readers).toBe(0);
});

test.each([
  [null, 200, undefined, 9_007_199_254_740_000],
  ["bytes=0-", 200, undefined, 9_007_199_254_740_000],
  ["bytes=0-1", 206, "bytes 0-1/9007199254740000", 2],
  ["bytes=5000-", 206, "bytes 5000-9007199254739999/9007199254740000", 9_007_199_254_735_000],
  ["bytes=0-9007199254740000", 206, "bytes 0-9007199254739999/9007199254740000", 9_007_199_254_740_000],
  ["bytes=-500", 200, undefined, 9_007_199_254_740_000],
  ["bytes=9-3", 200, undefined, 9_007_199_254_740_000],
  ["bytes=0-1,5-6", 200, undefined, 9_007_199_254_740_000],
])("the range %s is answered with %i", (range, status, content_range, max_bytes) => {
  const answer = answerRange(range);
  expect({ ...answer, headers: answer.headers["content-range"] }).toEqual({
    status,
    headers: content_range,
    max_bytes,
  });
});
