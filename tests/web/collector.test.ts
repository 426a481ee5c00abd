import { describe, expect, test, vi } from "vitest";
import type { Session } from "../../app/session/session.ts";
import { type Collecting, collectBatch, EventRates, type EventRow } from "../../workers/web/collector.ts";
import { logRows, sendToTag, writeToDataset } from "../../workers/web/event-outlets.ts";

const origin = "http://localhost";
const view = { type: "page_view", path: "/natsume", pattern: "/:link_id" };
const vital = { type: "web_vital", name: "LCP", value: 812.5, pattern: "/:link_id" };
const error = { type: "script_error", text: "x is not a function", place: "/assets/a.js:1:2", pattern: "/" };

/** Returns a collector. `soziIdAuth=open` is a member's session. */
function newCollector(options: Partial<Collecting> = {}) {
  const rows: EventRow[] = [];
  const opened: Record<string, Session | "expired"> = { open: { id: "member-1" } as Session, old: "expired" };
  const sendBatch = async (batch: unknown, headers: Record<string, string> = {}, method = "POST") => {
    const body = batch === undefined ? null : typeof batch === "string" ? batch : JSON.stringify(batch);
    const request = new Request(`${origin}/browser-events`, { method, body, headers: { origin, ...headers } });
    return collectBatch(request, {
      session_keys: { open: async (cookie) => opened[cookie] ?? null },
      rates: new EventRates(),
      address: "203.0.113.1",
      outlets: [(told) => rows.push(...told)],
      ...options,
    });
  };
  return { rows, sendBatch };
}

test("every event becomes a row of the same shape", async () => {
  const { rows, sendBatch } = newCollector();
  const answer = await sendBatch({ build: "b1", events: [view, vital, error], dropped: 4 });
  expect([answer.status, answer.headers.get("set-cookie")]).toEqual([204, null]);
  const empty = { user_id: null, pattern: "", path: "", name: "", place: "", value: 0, build: "b1" };
  expect(rows).toEqual([
    { ...empty, type: "page_view", path: "/natsume", pattern: "/:link_id" },
    { ...empty, type: "web_vital", name: "LCP", value: 812.5, pattern: "/:link_id" },
    { ...empty, type: "script_error", name: "x is not a function", place: "/assets/a.js:1:2", pattern: "/" },
    { ...empty, type: "events_dropped", value: 4 },
  ]);
});

test("a page view's user comes from the session, never from the browser, and performance has no user", async () => {
  const { rows, sendBatch } = newCollector();
  const claimed = [
    { ...view, user_id: "somebody else" },
    { ...vital, user_id: "somebody else" },
  ];
  for (const cookie of ["", "soziIdAuth=open", "soziIdAuth=old", "soziIdAuth=forged"]) {
    await sendBatch({ build: "", events: claimed, user_id: "somebody else" }, { cookie });
  }
  expect(rows.map(({ user_id }) => user_id)).toEqual([null, null, "member-1", null, null, null, null, null]);
});

test("an address that is itself a right is not stored", async () => {
  const { rows, sendBatch } = newCollector();
  for (const path of ["/checkout/01k8anj7ax", "/unsubscribe/a.b-c", "/overlay/x/timeline", "/natsume/podcast/x"]) {
    await sendBatch({ build: "", events: [{ ...view, path }] });
  }
  const stored = ["/checkout/…", "/unsubscribe/…", "/overlay/…/timeline", "/natsume/podcast/…"];
  expect(rows.map(({ path }) => path)).toEqual(stored);
  // An error of a script inside the page names the page.
  await sendBatch({ build: "", events: [{ ...error, place: "https://ofuse.example/checkout/01k8anj7ax:3:14" }] });
  expect(rows.at(-1)?.place).toBe("https://ofuse.example/checkout/…");
});

test("a query or a fragment is dropped", async () => {
  const { rows, sendBatch } = newCollector();
  for (const path of ["/signup/action?oobCode=secret", "/natsume#secret", "/a?b\nsecret"]) {
    await sendBatch({ build: "", events: [{ ...view, path }] });
  }
  expect(rows.map(({ path }) => path)).toEqual(["/signup/action", "/natsume", "/a"]);
});

test.each([
  ["Do Not Track", { dnt: "1" }],
  ["Global Privacy Control", { "sec-gpc": "1" }],
])("a browser that sends %s is not counted", async (_, headers) => {
  const { rows, sendBatch } = newCollector();
  expect((await sendBatch({ build: "", events: [view] }, headers)).status).toBe(204);
  expect(rows).toEqual([]);
});

describe("stores nothing of", () => {
  test.each([
    ["an event from another site", { origin: "https://evil.example" }, 403],
    ["an event from a page that hides its origin", { origin: "null" }, 403],
    ["an event that the browser marks as cross-site", { "sec-fetch-site": "cross-site" }, 403],
  ])("%s", async (_, headers, status) => {
    const { rows, sendBatch } = newCollector();
    expect([(await sendBatch({ build: "", events: [view] }, headers)).status, rows]).toEqual([status, []]);
  });

  test.each(["GET", "PUT", "DELETE"])("a %s request", async (method) => {
    const { sendBatch } = newCollector();
    const answer = await sendBatch(method === "GET" ? undefined : { build: "", events: [view] }, {}, method);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("more than a browser sends at the end of a page", async () => {
    const { rows, sendBatch } = newCollector();
    expect([(await sendBatch(`"${"x".repeat(64 * 1024)}"`)).status, rows]).toEqual([413, []]);
  });

  test.each([
    ["a body that is not JSON", "{"],
    ["a body that is not an object", "null"],
    ["a body without events", { build: "" }],
    ["an empty batch", { build: "", events: [] }],
    ["a batch over the limit", { build: "", events: Array.from({ length: 101 }, () => view) }],
    ["a build that is not text", { build: 1, events: [view] }],
    ["one bad event among good ones", { build: "", events: [view, { type: "page_view" }] }],
    ["an event of an unknown kind", { build: "", events: [{ ...view, type: "purchase" }] }],
    ["a URL instead of a path", { build: "", events: [{ ...view, path: "https://evil.example" }] }],
    ["an endless path", { build: "", events: [{ ...view, path: `/${"x".repeat(1024)}` }] }],
    ["an unknown vital", { build: "", events: [{ ...vital, name: "FID" }] }],
    ["a vital that is not a number", { build: "", events: [{ ...vital, value: "1" }] }],
    ["a negative vital", { build: "", events: [{ ...vital, value: -1 }] }],
    ["an error text over the limit", { build: "", events: [{ ...error, text: "x".repeat(201) }] }],
    ["a negative count of dropped events", { build: "", events: [view], dropped: -1 }],
  ])("%s", async (_, batch) => {
    const { rows, sendBatch } = newCollector();
    expect([(await sendBatch(batch)).status, rows]).toEqual([400, []]);
  });
});

test("an address has a limit a minute, which does not affect others", () => {
  const rates = new EventRates();
  expect(rates.take("a", 1200, 0)).toBe(true);
  expect(rates.take("a", 1, 59_999)).toBe(false);
  expect(rates.take("b", 1, 59_999)).toBe(true);
  expect(rates.take("a", 1, 60_000)).toBe(true);
});

test("an address over its limit gets 429, and nothing is stored", async () => {
  const rates = new EventRates();
  rates.take("203.0.113.1", 1200, Date.now());
  const { rows, sendBatch } = newCollector({ rates });
  expect([(await sendBatch({ build: "", events: [view] })).status, rows]).toEqual([429, []]);
});

const row: EventRow = {
  type: "page_view",
  user_id: "member-1",
  pattern: "/:link_id",
  build: "b1",
  path: "/natsume",
  name: "",
  place: "",
  value: 0,
};

test("the log has a line for each row", () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  logRows([row]);
  expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
    {
      time: expect.any(String),
      level: "info",
      worker: expect.any(String),
      message: "page_view",
      user_id: "member-1",
      pattern: "/:link_id",
      build: "b1",
      path: "/natsume",
      name: "",
      place: "",
      value: 0,
    },
  ]);
  log.mockRestore();
});

test("a dataset gets the same row, with columns in the order that queries use", () => {
  const points: unknown[] = [];
  writeToDataset({ writeDataPoint: (point) => points.push(point) } as AnalyticsEngineDataset)([row]);
  expect(points).toEqual([
    {
      indexes: ["page_view"],
      blobs: ["page_view", "member-1", "/:link_id", "/natsume", "b1", "", ""],
      doubles: [0],
    },
  ]);
});

test("a tag gets page views alone, and its failure is only logged", async () => {
  const sent: { url: string; body: unknown }[] = [];
  const waiting: Promise<unknown>[] = [];
  let status = 204;
  const outlet = sendToTag(
    { id: "G-TEST", secret: "s&" },
    {
      fetch: async (url, init) => {
        sent.push({ url: String(url), body: JSON.parse(String(init?.body)) });
        return new Response(null, { status });
      },
      waitUntil: (promise) => waiting.push(promise),
    },
  );
  outlet([row, { ...row, type: "web_vital", name: "LCP" }, { ...row, user_id: null }]);
  await Promise.all(waiting);
  const params = { page_path: "/natsume", page_pattern: "/:link_id" };
  expect(sent.map(({ body }) => body)).toEqual([
    { client_id: "member-1", user_id: "member-1", events: [{ name: "page_view", params }] },
    { client_id: expect.stringMatching(/^[0-9a-f-]{36}$/), events: [{ name: "page_view", params }] },
  ]);
  expect(sent[0]?.url).toBe("https://www.google-analytics.com/mp/collect?measurement_id=G-TEST&api_secret=s%26");
  const complaint = vi.spyOn(console, "error").mockImplementation(() => {});
  status = 500;
  outlet([row]);
  await Promise.all(waiting);
  expect(complaint).toHaveBeenCalledOnce();
  complaint.mockRestore();
});
