import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { oneAtATime } from "../../workers/kernel/heavy-work.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LIMITS = { line: 2, patience_ms: 1000, longest_ms: 5000 };

/** A piece of work that ends when the test says so. */
function pieceOf(name: string, began: string[]) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const work = () => {
    began.push(name);
    return promise;
  };
  return { work, end: () => resolve(name), fail: () => reject(new Error(name)) };
}

test("a piece of work begins when the one before has ended or failed, and a full line refuses", async () => {
  const run = oneAtATime(LIMITS);
  const began: string[] = [];
  const [first, second, third, fourth] = ["first", "second", "third", "fourth"].map((name) => pieceOf(name, began));
  if (!first || !second || !third || !fourth) throw new Error("no pieces");
  const runs = [first, second, third].map(({ work }) => run(work).catch((error: Error) => `failed: ${error.message}`));
  expect(await run(fourth.work)).toBeNull();
  await vi.advanceTimersByTimeAsync(500);
  expect(began).toEqual(["first"]);

  first.fail();
  await vi.advanceTimersByTimeAsync(100);
  expect(began).toEqual(["first", "second"]);
  second.end();
  await vi.advanceTimersByTimeAsync(100);
  third.end();
  expect(await Promise.all(runs)).toEqual(["failed: first", "second", "third"]);
});

test("a request that has waited too long is refused, and work that was cut off gives its place up", async () => {
  const run = oneAtATime(LIMITS);
  const began: string[] = [];
  void run(pieceOf("cut off", began).work);
  const impatient = run(pieceOf("impatient", began).work);
  await vi.advanceTimersByTimeAsync(LIMITS.patience_ms + 100);
  expect(await impatient).toBeNull();

  await vi.advanceTimersByTimeAsync(LIMITS.longest_ms - LIMITS.patience_ms - 200);
  void run(pieceOf("next", began).work);
  await vi.advanceTimersByTimeAsync(200);
  expect(began).toEqual(["cut off", "next"]);
});

test("work that ends after it counted as cut off does not give up the place of the next", async () => {
  const run = oneAtATime(LIMITS);
  const began: string[] = [];
  const late = pieceOf("late", began);
  void run(late.work);
  await vi.advanceTimersByTimeAsync(LIMITS.longest_ms);
  void run(pieceOf("next", began).work);
  late.end();
  await vi.advanceTimersByTimeAsync(0);
  void run(pieceOf("third", began).work);
  await vi.advanceTimersByTimeAsync(100);
  expect(began).toEqual(["late", "next"]);
});
