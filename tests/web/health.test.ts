import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Readiness } from "../../workers/web/health.ts";
import type { Incoming } from "../../workers/web/incoming.ts";

const OK = { database: "ok", search: "ok", media: "ok", sound: "ok" };
const allOk = { database: "ok", search: "ok", media: "ok", identity: "ok", mails: "ok", radio: "ok" };
let asked = 0;

/** Returns a request to a worker whose other workers answer as given; the others answer that all is well. */
function incomingWith(...answers: [binding: string, answer: () => Promise<Response>][]): Incoming {
  const answerOf = new Map(answers);
  const bind = (name: string) => ({
    fetch: () => {
      asked += 1;
      return answerOf.get(name)?.() ?? Promise.resolve(Response.json(OK));
    },
  });
  const env = Object.fromEntries(["API", "IDENTITY", "MAILS", "RADIO"].map((name) => [name, bind(name)]));
  return { env, execution: { waitUntil: () => {} } } as unknown as Incoming;
}

beforeEach(() => {
  asked = 0;
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

test("is 200 with the state of each dependency when all of them answer", async () => {
  const response = await new Readiness().answer(incomingWith());
  expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(await response.json()).toEqual({ status: "ready", checks: allOk });
});

test("is 503 when one fails, and says which and when to ask again", async () => {
  const response = await new Readiness().answer(
    incomingWith(
      ["API", async () => Response.json({ ...OK, search: "failed" })],
      ["MAILS", () => Promise.reject(new Error("gone"))],
    ),
  );
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "10"]);
  expect(await response.json()).toEqual({
    status: "not_ready",
    checks: { ...allOk, search: "failed", mails: "failed" },
  });
});

test("is 503 in time when one hangs", async () => {
  const answering = new Readiness().answer(incomingWith(["IDENTITY", () => new Promise(() => {})]));
  await vi.advanceTimersByTimeAsync(3000);
  expect(await (await answering).json()).toMatchObject({ checks: { ...allOk, identity: "silent" } });
});

test("asks once a second, however many callers there are", async () => {
  const readiness = new Readiness();
  const callers = Array.from({ length: 50 }, () => readiness.answer(incomingWith()));
  expect((await Promise.all(callers)).map(({ status }) => status)).toEqual(Array(50).fill(200));
  await readiness.answer(incomingWith());
  expect(asked).toBe(4);
  await vi.advanceTimersByTimeAsync(1000);
  await readiness.answer(incomingWith());
  expect(asked).toBe(8);
});
