import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { statusAt } from "../../workers/contract/maintenance-status.ts";
import { EdgeStates } from "../../workers/web/edge-state.ts";
import { Maintenance, readingOf } from "../../workers/web/maintenance.ts";
import { isRead } from "../../workers/web/maintenance-answers.ts";

const MINUTE_MS = 60_000;
const closed = { started_at: "2020-01-01T00:00:00.000Z", finished_at: null };
const open = { started_at: null, finished_at: null };

/** The promises of work that continues after an answer. */
let later: Promise<unknown>[] = [];

/** Returns an API that counts its requests. */
function apiThat(answer: (request: Request) => Response | Promise<Response>) {
  const asked: string[] = [];
  const fetch = async (request: Request) => {
    asked.push(new URL(request.url).pathname);
    return answer(request);
  };
  const asking = () => ({
    transport: { origin: "http://api.internal", request_id: "request-0001", fetch },
    waitUntil: (promise: Promise<unknown>) => void later.push(promise),
  });
  return { asked, asking };
}
const apiWith = (maintenance: object) => apiThat(() => Response.json({ version: "site.1", maintenance }));
const downApi = () => apiThat(() => Promise.reject(new Error("down")));
/** Never answers, and rejects when aborted, as fetch does. */
const silentApi = () =>
  apiThat(({ signal }) => new Promise((_, failed) => signal.addEventListener("abort", () => failed(signal.reason))));
const passTime = (ms: number) => vi.setSystemTime(Date.now() + ms);

beforeEach(async () => {
  later = [];
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  await (await caches.open("visitor-pages")).delete("https://notes.internal/maintenance");
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(later);
});

test("the record is fetched once in five minutes", async () => {
  const maintenance = new Maintenance();
  const api = apiWith(closed);
  expect(await maintenance.current(api.asking)).toMatchObject(closed);
  passTime(5 * MINUTE_MS - 1);
  expect(await maintenance.current(api.asking)).toMatchObject(closed);
  expect(api.asked).toEqual(["/v4/edge_state"]);
  const later = apiWith(open);
  passTime(1);
  expect(await maintenance.current(later.asking)).toMatchObject(open);
  expect(later.asked).toHaveLength(1);
});

test.each([
  ["is down", downApi],
  ["answers 500", () => apiThat(() => new Response("oops", { status: 500 }))],
  ["answers an invalid record", () => apiWith({ started_at: "soon" })],
])("uses the last record and does not ask for a while when the API %s", async (_, failing) => {
  const maintenance = new Maintenance();
  await maintenance.current(apiWith(closed).asking);
  passTime(60 * MINUTE_MS);
  const api = failing();
  for (let count = 0; count < 5; count++) expect(await maintenance.current(api.asking)).toMatchObject(closed);
  expect(api.asked).toHaveLength(1);
  passTime(10_000);
  const back = apiWith(open);
  expect(await maintenance.current(back.asking), "the API is asked again").toMatchObject(open);
});

test("no request waits for another request's call to a silent API", async () => {
  const maintenance = new Maintenance();
  await maintenance.current(apiWith(closed).asking);
  passTime(5 * MINUTE_MS);
  const api = silentApi();
  const first = maintenance.current(api.asking);
  expect(await maintenance.current(api.asking)).toMatchObject(closed);
  expect(await maintenance.current(api.asking)).toMatchObject(closed);
  expect(await first, "the request that called gives up after a second").toMatchObject(closed);
  expect(api.asked).toHaveLength(1);
});

test("after a pause no request uses the old record while another request asks", async () => {
  const maintenance = new Maintenance();
  await maintenance.current(apiWith(open).asking);
  passTime(60 * MINUTE_MS);
  const api = apiWith(closed);
  const both = await Promise.all([maintenance.current(api.asking), maintenance.current(api.asking)]);
  expect(both).toMatchObject([closed, closed]);
});

test("no request waits for another request's call to an API that has been silent for long", async () => {
  const maintenance = new Maintenance();
  await maintenance.current(apiWith(closed).asking);
  passTime(60 * MINUTE_MS);
  await maintenance.current(downApi().asking);
  passTime(10_000);
  const api = silentApi();
  const first = maintenance.current(api.asking);
  expect(await maintenance.current(api.asking)).toMatchObject(closed);
  await first;
  expect(api.asked).toHaveLength(1);
});

test("a worker that starts while the API is silent uses another worker's note", async () => {
  const api = apiWith(closed);
  await new Maintenance().current(api.asking);
  await Promise.all(later);
  passTime(60 * MINUTE_MS);
  const begun = new Maintenance();
  expect(await begun.last()).toMatchObject(closed);
  expect(await begun.current(downApi().asking)).toMatchObject(closed);
});

test("a worker with a recent note does not ask the API, and a worker without a note does", async () => {
  const api = apiWith(closed);
  const unknowing = new Maintenance();
  expect(await unknowing.last()).toBeNull();
  expect(await unknowing.current(downApi().asking)).toMatchObject(open);
  await new Maintenance().current(api.asking);
  await Promise.all(later);
  const unasked = downApi();
  expect(await new Maintenance().current(unasked.asking)).toMatchObject(closed);
  expect(unasked.asked).toEqual([]);
});

test("a record that comes with a page's version applies at once, unless it is older", async () => {
  const maintenance = new Maintenance();
  await maintenance.current(apiWith(open).asking);
  passTime(1000);
  const api = apiThat(() => Response.json({ version: "site.1", maintenance: closed }));
  await new EdgeStates(maintenance).of("/natsume", api.asking);
  expect(await maintenance.current(downApi().asking)).toMatchObject(closed);
  maintenance.learn(open, Date.now() - 500, () => {});
  expect(await maintenance.last()).toMatchObject(closed);
});

test("the variable MAINTENANCE applies with and without a record, and an invalid one does not", () => {
  const told = vi.spyOn(console, "error").mockReturnValue();
  const now = Date.parse("2026-12-01T00:00:00Z");
  const stated = JSON.stringify({ status: "UNDER_MAINTENANCE", finished_at: "2026-12-01T10:00:00+09:00" });
  const end = "2026-12-01T01:00:00.000Z";
  expect(readingOf(open, stated, now)).toMatchObject({ status: "UNDER_MAINTENANCE", finished_at: end });
  const since = "2026-12-01T00:00:00.000Z";
  for (const later of [now, now + 60_000]) {
    expect(readingOf(open, stated, later).started_at, "closed since it was first read").toBe(since);
  }
  expect(readingOf(open, "", now).status).toBe("NO_MAINTENANCE_SCHEDULED");
  expect(readingOf(closed, "", now)).toEqual({ status: statusAt(closed, now), ...closed });
  expect(readingOf(closed, stated, now), "the record's missing end is later than the stated end").toMatchObject({
    finished_at: null,
  });
  for (const nonsense of ["yes", '{"status":"CLOSED"}', "null"]) {
    expect(readingOf(open, nonsense, now).status).toBe("NO_MAINTENANCE_SCHEDULED");
  }
  expect(told).toHaveBeenCalledTimes(3);
  told.mockRestore();
});

test("what operators have paused comes with the record, and stays known when only the record is told", async () => {
  const maintenance = new Maintenance();
  const api = apiThat(() =>
    Response.json({ version: "site.1", maintenance: open, paused_features: ["payments", "uploads"] }),
  );
  const { record } = await new EdgeStates(maintenance).of("/natsume", api.asking);
  expect(record.paused_features).toEqual(["payments", "uploads"]);
  maintenance.learn(closed, Date.now(), () => {});
  expect(await maintenance.last()).toMatchObject({ ...closed, paused_features: ["payments", "uploads"] });
});

test("paused payouts come in a field of their own, and a feature that only a later API knows is dropped", async () => {
  const api = apiThat(() =>
    Response.json({
      version: "site.1",
      maintenance: open,
      paused_features: ["feature_of_a_later_api", "uploads"],
      are_payouts_paused: true,
    }),
  );
  const { record, is_current } = await new EdgeStates(new Maintenance()).of("/natsume", api.asking);
  expect(is_current).toBe(true);
  expect(record.paused_features).toEqual(["uploads", "payouts"]);
  expect((await new Maintenance().current(api.asking)).paused_features).toEqual(["uploads", "payouts"]);
});

test.each([
  ["GET", "/v4/users?link_id=natsume", true],
  ["HEAD", "/v4/events/x/comments", true],
  ["POST", "/v4/batch", true],
  ["GET", "/v4/events/x/visit?visit_id=1", false],
  ["HEAD", "/v4/events/x/visit?visit_id=1", false],
  ["POST", "/v4/batches", false],
  ["DELETE", "/v4/events/x", false],
])("under maintenance, calls that only read stay open: %s %s is %s", (method, path, is_read) => {
  expect(isRead(new Request(`https://ofuse.test${path}`, { method }))).toBe(is_read);
});
