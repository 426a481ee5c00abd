import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claimData } from "../../scripts/data-claim.ts";
import { configRefusals, type WorkerConfig } from "../../scripts/deploy-config.ts";
import { maintenanceSubject, readMoment } from "../../scripts/operator/maintenance.ts";
import { answerOf, openProduct } from "../../scripts/operator/product.ts";
import { reportsSubject } from "../../scripts/operator/reports.ts";
import { findRunner, listenForOperators } from "../../scripts/operator/runner.ts";
import { prepareData } from "../../scripts/storage.ts";

const NOW = Date.parse("2026-11-20T03:00:00.000Z");
const data_dir = mkdtempSync(join(tmpdir(), "ofuse-operator-"));

beforeAll(async () => {
  const claim = await claimData(data_dir);
  await prepareData(data_dir, claim, "site");
  claim.release();
});
afterAll(() => rmSync(data_dir, { recursive: true, force: true }));

async function operate(...args: string[]): Promise<string> {
  const act = maintenanceSubject.read(args, NOW);
  const product = await openProduct(data_dir);
  try {
    return await act(product);
  } finally {
    await product.close();
  }
}

describe("a moment", () => {
  test.each([
    ["2026/12/01 17:00", "2026-12-01T08:00:00.000Z"],
    ["2026-12-01 17:00", "2026-12-01T08:00:00.000Z"],
    ["2026-12-01T17:00:30", "2026-12-01T08:00:30.000Z"],
    ["2026-12-01T17:00:00+09:00", "2026-12-01T08:00:00.000Z"],
    ["2026-12-01T08:00:00.000Z", "2026-12-01T08:00:00.000Z"],
    ["2026-12-01T17:00:00-14:00", "2026-12-02T07:00:00.000Z"],
    ["2999/12/31 23:59", "2999-12-31T14:59:00.000Z"],
    ["now", "2026-11-20T03:00:00.000Z"],
  ])("is read from %s", (text, iso) => {
    expect(readMoment(text, NOW)).toBe(iso);
  });

  test.each(["", "tomorrow", "2026/12/01", "12/1 17:00", "2026/02/30 10:00", "2026/12/01 24:00", "2026/12/01 17:60"])(
    "is not read from %j",
    (text) => {
      expect(() => readMoment(text, NOW)).toThrow(/is no moment\. Write it like "2026\/12\/01 17:00"/);
    },
  );
});

describe("a moment that was mistyped", () => {
  test.each([
    "0226/12/01 17:00",
    "1999/12/31 23:59",
    "3000/01/01 00:00",
    "9999/12/31 23:59",
    "9999-12-31T23:59:00-09:00",
  ])("is told of its year: %s", (text) =>
    expect(() => readMoment(text, NOW)).toThrow(/has a year that is not from 2000 to 2999/),
  );
  test.each(["+14:01", "-15:00", "+99:00"])("is told of its offset: %s", (offset) => {
    expect(() => readMoment(`2026-12-01T17:00:00${offset}`, NOW)).toThrow(/has an offset that no place has/);
  });
  test("is no moment with an offset of sixty minutes", () => {
    expect(() => readMoment("2026-12-01T17:00:00+09:60", NOW)).toThrow(/is no moment/);
  });
});

test("a window is set, shown and cleared on the data of a folder nobody serves", async () => {
  const product = await openProduct(data_dir);
  const run = (...args: string[]) => maintenanceSubject.read(args, NOW)(product);
  expect(await run("show")).toMatch(/^status {2}NO_MAINTENANCE_SCHEDULED/);
  const set = await run("set", "--from", "2026/12/01 17:00", "--to", "2026/12/01 20:00");
  expect(set).toContain("from    2026/12/01 17:00 JST (2026-12-01T08:00:00.000Z)");
  await product.close();
  expect(await operate("show"), "also afterwards").toBe(
    "status  MAINTENANCE_SCHEDULED\nfrom    2026/12/01 17:00 JST (2026-12-01T08:00:00.000Z)\nto      2026/12/01 20:00 JST (2026-12-01T11:00:00.000Z)",
  );
  const again = await openProduct(data_dir);
  const runAgain = (...args: string[]) => maintenanceSubject.read(args, NOW)(again);
  await runAgain("set", "--from", "now");
  expect(await runAgain("show")).toMatch(/^status {2}UNDER_MAINTENANCE\nfrom .*\nto {6}-$/);
  expect(await runAgain("clear")).toMatch(/^status {2}NO_MAINTENANCE_SCHEDULED/);
  expect(await runAgain("show")).toMatch(/^status {2}NO_MAINTENANCE_SCHEDULED/);
  await again.close();
});

test.each([
  [["set", "--from", "2026/12/01 17:00", "--to", "2026/12/01 17:00"], /would end .* before it begins/],
  [["set", "--from", "2026/11/01 17:00", "--to", "2026/11/02 17:00"], /is over already/],
  [["set"], /--from <moment>/],
  [["set", "--form", "now"], /--from <moment>/],
  [["clear", "--from", "now"], /--from <moment>/],
  [["close"], /--from <moment>/],
  [[], /--from <moment>/],
])("%j is refused with what is wrong, before anything is opened", (args, reason) => {
  expect(() => maintenanceSubject.read(args, NOW)).toThrow(reason);
});

describe("reports", () => {
  const REPORT = "01kaf2m8q3v7x1n5r9t4w6y8ze";

  test.each([
    [[], /reports list/],
    [["list", REPORT], /reports list/],
    [["list", "--note", "x"], /reports list/],
    [["show"], /reports list/],
    [["show", "'; DROP TABLE users;--"], /is no id of a report/],
    [["show", REPORT, "--all"], /reports list/],
    [["decide", REPORT], /reports list/],
    [["decide", REPORT, "deleted"], /reports list/],
    [["decide", REPORT, "removed", "kept"], /reports list/],
    [["decide", REPORT, "removed", "--note", "あ".repeat(301)], /A note is one line/],
    [["decide", REPORT, "removed", "--note", "一行目\n二行目"], /A note is one line/],
  ])("%j is refused with what is wrong, before anything is opened", (args, reason) => {
    expect(() => reportsSubject.read(args, NOW)).toThrow(reason);
  });

  test("are read and decided on the data of a folder nobody serves", async () => {
    const product = await openProduct(data_dir);
    const run = (...args: string[]) => reportsSubject.read(args, NOW)(product);
    try {
      expect(await run("list")).toBe("Nothing waits.");
      await expect(run("show", REPORT)).rejects.toThrow(`There is no report ${REPORT}.`);
      await expect(run("decide", REPORT, "kept")).rejects.toThrow(`There is no report ${REPORT}.`);
      const now = new Date(NOW).toISOString();
      for (const link_id of ["reported", "reporter"])
        await product.run(`INSERT INTO users (user_id, identity_id, link_id, name, created_at)
          VALUES ('${link_id}', '${link_id}', '${link_id}', '名前', '${now}')`);
      await product.run(`INSERT INTO reports (report_id, reporter_user_id, subject_type, subject_id, subject_user_id, reason, created_at)
        VALUES ('${REPORT}', 'reporter', 'ofuse', '${REPORT}', 'reported', 'others', '${now}')`);
      expect(await run("decide", REPORT, "kept", "--note", "It's fine")).toMatch(/^1 report decided: kept/);
      expect(await run("show", REPORT)).toContain(`decision  kept, ${now}: It's fine`);
      expect(await product.run("SELECT kind, payload FROM outbox WHERE kind = 'report_decided'")).toMatchObject([
        { payload: expect.stringContaining("It's fine") },
      ]);
      await product.run("DELETE FROM users WHERE user_id IN ('reported', 'reporter')");
      await product.run("DELETE FROM outbox");
    } finally {
      await product.close();
    }
  });
});

test("data that are served are reached through who serves them, by whoever may read the folder", async () => {
  const claim = await claimData(data_dir);
  const ran: string[] = [];
  const stop = await listenForOperators(data_dir, async (sql) => {
    ran.push(sql);
    if (sql === "broken") throw new Error("no such table");
    return [{ started_at: null, finished_at: null }];
  });
  try {
    expect(await operate("show")).toMatch(/NO_MAINTENANCE_SCHEDULED/);
    expect(ran.at(-1)).toBe("SELECT started_at, finished_at FROM maintenance");
    const product = await openProduct(data_dir);
    await expect(product.run("broken")).rejects.toThrow("The runner did not do it: Error: no such table");
    const file = join(data_dir, "operator.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { port } = JSON.parse(readFileSync(file, "utf8"));
    for (const authorization of ["", "Bearer ", `Bearer ${"0".repeat(64)}`]) {
      const answer = await fetch(`http://127.0.0.1:${port}`, { method: "POST", headers: { authorization }, body: "x" });
      expect(answer.status).toBe(403);
    }
    expect(ran).not.toContain("x");
  } finally {
    stop();
  }
  expect(await findRunner(data_dir)).toBeNull();
  await expect(operate("show"), "somebody has the folder who cannot be asked").rejects.toThrow(/Another runner/);
  claim.release();
});

test("a folder without data is not made into one", async () => {
  await expect(openProduct(join(data_dir, "nothing"))).rejects.toThrow(/There are no data in/);
});

test("wrangler's answer is read, whatever it says before", () => {
  const rows = [{ started_at: "2026-12-01T08:00:00.000Z", finished_at: null }];
  expect(answerOf(`a warning\n${JSON.stringify([{ results: rows, success: true, meta: {} }], null, 2)}`)).toEqual(rows);
  expect(answerOf("[]")).toEqual([]);
});

test("a deployment refuses a statement that the worker could not read", () => {
  const config = (MAINTENANCE: string): WorkerConfig => ({
    name: "ofuse-web",
    vars: { ENVIRONMENT: "production", MAINTENANCE },
    triggers: {},
    d1_databases: [],
    r2_buckets: [],
    services: [],
  });
  const said = (text: string) => configRefusals(config(text)).filter((reason) => reason.includes("MAINTENANCE"));
  expect(["", '{"status":"UNDER_MAINTENANCE","finished_at":"2026-12-01T20:00:00+09:00"}'].flatMap(said)).toEqual([]);
  expect(
    ["closed", '{"status":"CLOSED"}', '{"status":"UNDER_MAINTENANCE","finished_at":"20:00"}'].flatMap(said),
  ).toHaveLength(3);
});
