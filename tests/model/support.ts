/** What the models share: a clock that they set, no waiting, and no work for other threads. */
import { createDecipheriv, createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, vi } from "vitest";

/** The package waits for so long at most before it repeats a call. Its time limits are longer. */
const LONGEST_PAUSE_MS = 5_000;
/** The official package notes its caller's stack at each call, which costs more than the call. */
const STACK_FRAMES = 2;

/** Call it at the top of a test file. The tests of the file set the clock themselves. */
export function takeOverTime(): void {
  const { setTimeout: wait, console: said } = globalThis;
  const { complain } = { complain: said.error };
  const { stackTraceLimit } = Error;
  const hurry = (work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
    ms < LONGEST_PAUSE_MS ? setImmediate(work, ...given) : wait(work, ms, ...given).unref();
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
    // Not vi.spyOn, which keeps every call.
    said.error = () => {};
    globalThis.setTimeout = hurry as unknown as typeof setTimeout;
    Object.assign(crypto, { getRandomValues: fillRandomly });
    Object.assign(crypto.subtle, AT_ONCE);
    Error.stackTraceLimit = STACK_FRAMES;
  });
  afterAll(() => {
    said.error = complain;
    globalThis.setTimeout = wait;
    Reflect.deleteProperty(crypto, "getRandomValues");
    for (const name of Object.keys(AT_ONCE)) Reflect.deleteProperty(crypto.subtle, name);
    Error.stackTraceLimit = stackTraceLimit;
    vi.useRealTimers();
  });
}

const { subtle } = crypto;
const real = { importKey: subtle.importKey.bind(subtle), sign: subtle.sign.bind(subtle) };
/** The bytes of the keys that {@link AT_ONCE} imported. */
const secrets = new WeakMap<object, Uint8Array>();
const bytesOf = (data: BufferSource) =>
  data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
const bufferOf = (bytes: Buffer) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const TAG_BYTES = 16;

/** The part of Web Crypto that the product uses most, without waiting: Node's own gives each call to another thread. */
const AT_ONCE = {
  async digest(_algorithm: "SHA-256", data: BufferSource) {
    return bufferOf(createHash("sha256").update(bytesOf(data)).digest());
  },
  async importKey(...given: Parameters<SubtleCrypto["importKey"]>) {
    const [format, data, algorithm] = given;
    const name = typeof algorithm === "string" ? algorithm : algorithm.name;
    const is_quick = name === "HMAC" || (name === "AES-GCM" && [...given[4]].includes("decrypt"));
    if (format !== "raw" || !is_quick) return real.importKey(...given);
    const key = {};
    secrets.set(key, bytesOf(data as BufferSource).slice());
    return key;
  },
  async sign(...given: Parameters<SubtleCrypto["sign"]>) {
    const [, key, data] = given;
    const secret = secrets.get(key);
    return secret ? bufferOf(createHmac("sha256", secret).update(bytesOf(data)).digest()) : real.sign(...given);
  },
  async decrypt({ iv, additionalData }: AesGcmParams, key: object, data: BufferSource) {
    const bytes = bytesOf(data);
    const decipher = createDecipheriv("aes-256-gcm", secrets.get(key) ?? "", bytesOf(iv));
    decipher.setAAD(bytesOf(additionalData ?? new Uint8Array()));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return bufferOf(Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]));
  },
};

let state = 1;

/** Seeds the random bytes, so that a story has the same ids each time. Source: Marsaglia, "Xorshift RNGs". */
export function seedRandomness(seed: number): void {
  state = (seed + 1) * 2_654_435_761;
}

function fillRandomly<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  for (let index = 0; index < bytes.length; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

const HOUR_MS = 60 * 60 * 1000;

/** A run with more steps than this is long. */
const LONG = 5_000;

/**
 * How much a model does: as much as `usual` with every run of the tests, and as much as the command says with `npm run test:model`. A world's
 * seed is the first one's and its number, so a run can be continued and repeated from any of them.
 *
 * @param limit_ms ends a usual run that hangs.
 */
export const effort = (variable: string, usual: number, limit_ms = 120_000) => {
  const count = Number(process.env[variable] || usual);
  return {
    count,
    seed: Number(process.env.MODEL_SEED || 20_261_210),
    is_long: count > Math.max(usual, LONG),
    /** Whether it does less than every run of the tests, such as one story again. It reaches little of what the others do. */
    is_short: count < usual,
    timeout_ms: process.env[variable] ? 24 * HOUR_MS : limit_ms,
    shrink_ms: process.env[variable] ? HOUR_MS / 6 : 90_000,
  };
};

/**
 * Plays one story for each seed until `countDone` has reached the count. A short run ends at the first failure, and shrinks it. A long run
 * tells the failure's seed and continues, so that it finds all there are.
 */
export async function playSeeds<Told>(
  property: fc.IAsyncProperty<Told>,
  { count, seed, is_long, shrink_ms }: Pick<ReturnType<typeof effort>, "count" | "seed" | "is_long" | "shrink_ms">,
  countDone: () => number,
): Promise<void> {
  const failed: number[] = [];
  for (let world = seed; countDone() < count; world++) {
    const limits = { interruptAfterTimeLimit: shrink_ms, markInterruptAsFailure: true, endOnFailure: is_long };
    const found = await fc.check(property, { seed: world, numRuns: 1, ...limits });
    if (found.failed) {
      if (!is_long) throw new Error(await fc.asyncDefaultReportMessage(found), { cause: found.errorInstance });
      failed.push(world);
      console.log(`MODEL_SEED=${world} fails: ${String(found.errorInstance).slice(0, 2_000)}`);
    }
    if ((world - seed) % 100 === 99) console.log(`${countDone()} done; continue with MODEL_SEED=${world + 1}`);
  }
  if (is_long) console.log(`${countDone()} done`);
  expect(failed).toEqual([]);
}
