import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readGauges } from "../../workers/api/operator/queries.ts";
import { runSteps } from "../../workers/storage/clock-runs.ts";
import { d1, servicesOf } from "./support/context.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockReturnValue();
  vi.spyOn(console, "log").mockReturnValue();
});
afterEach(() => void vi.restoreAllMocks());

const services = servicesOf();
const gaugeOf = async (name: string, step?: string, now_ms = Date.now()) =>
  (await readGauges({ database: services.database, clock: { now: () => now_ms } })).find(
    (gauge) => gauge.name === name && gauge.labels.step === step,
  )?.value;

test("a step that hangs or fails keeps no other from running, and each run is on record", async () => {
  const ran: string[] = [];
  const steps = {
    hangs: () => new Promise(() => {}),
    fails: () => Promise.reject(new Error("it broke")),
    works: async () => void ran.push("works"),
  };
  await expect(runSteps(steps, services, 1)).rejects.toThrow("not done after 1 ms; Error: it broke");
  expect(ran).toEqual(["works"]);
  const failed = await Promise.all(Object.keys(steps).map((step) => gaugeOf("ofuse_clock_step_failed", step)));
  expect(failed).toEqual([1, 1, 0]);
  const done = "ofuse_clock_step_done_timestamp_seconds";
  expect(await gaugeOf(done, "fails"), "never").toBe(0);
  const worked = await gaugeOf(done, "works");
  expect(worked).toBeGreaterThan(0);
  // A later failure does not hide when the step last worked. Steps that are gone are forgotten.
  await expect(runSteps({ works: () => Promise.reject(new Error("now too")) }, services)).rejects.toThrow();
  expect([await gaugeOf(done, "works"), await gaugeOf("ofuse_clock_step_failed", "works")]).toEqual([worked, 1]);
  expect(await gaugeOf(done, "fails")).toBeUndefined();
});

test("the line of a failed step names the causes", async () => {
  const failed = new AggregateError([new Error("payout 1", { cause: new Error("no such column") })], "payout 1");
  const logged = vi.spyOn(console, "error").mockReturnValue();
  await expect(runSteps({ pays: () => Promise.reject(failed) }, services)).rejects.toThrow();
  const line = JSON.parse(logged.mock.lastCall?.[0]);
  expect(line).toMatchObject({ message: "payout 1", step: "pays" });
  expect(line.causes.map((cause: string) => cause.split("\n")[0])).toEqual([
    "Error: payout 1",
    "Error: no such column",
  ]);
});

test("the gauges tell the age of the oldest waiting row, whatever its attempts, and what was given up", async () => {
  const now_ms = Date.now();
  await d1.batch([
    d1.prepare("DELETE FROM outbox"),
    ...[
      ["a", 0, 5],
      ["b", 3, 90],
      ["c", 20, 900],
    ].map(([id, attempts, age_s]) =>
      d1
        .prepare("INSERT INTO outbox (outbox_id, kind, payload, created_at, attempts) VALUES (?, 'x', '{}', ?, ?)")
        .bind(id, new Date(now_ms - Number(age_s) * 1000).toISOString(), attempts),
    ),
  ]);
  expect(await gaugeOf("ofuse_outbox_waiting_rows")).toBe(2);
  expect(await gaugeOf("ofuse_outbox_given_up_rows")).toBe(1);
  expect(await gaugeOf("ofuse_outbox_oldest_seconds", undefined, now_ms)).toBeCloseTo(90);
  expect(await gaugeOf("ofuse_ledger_difference_yen")).toBe(0);
  await d1.prepare("DELETE FROM outbox").run();
});
