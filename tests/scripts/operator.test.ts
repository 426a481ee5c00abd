import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { claimData, servedUrl } from "../../scripts/data-claim.ts";
import { storageFile } from "../../scripts/data-folder.ts";
import { configRefusals, type WorkerConfig } from "../../scripts/deploy-config.ts";
import { startNetwork } from "../../scripts/network.ts";
import { actsSubject } from "../../scripts/operator/acts.ts";
import { campaignSubject } from "../../scripts/operator/campaign.ts";
import { ledgerSubject } from "../../scripts/operator/ledger.ts";
import { maintenanceSubject, readMoment } from "../../scripts/operator/maintenance.ts";
import { moneySubject } from "../../scripts/operator/money.ts";
import { outboxSubject } from "../../scripts/operator/outbox.ts";
import { reportsSubject } from "../../scripts/operator/reports.ts";
import { openSite, siteAt } from "../../scripts/operator/site.ts";
import type { Subject } from "../../scripts/operator/subject.ts";
import { Refusal } from "../../scripts/refusal.ts";
import { prepareData } from "../../scripts/storage.ts";

const NOW = Date.parse("2026-11-20T03:00:00.000Z");
const data_dir = mkdtempSync(join(tmpdir(), "ofuse-operator-"));

beforeAll(async () => {
  const claim = await claimData(data_dir);
  await prepareData(data_dir, claim, "site");
  claim.release();
});
afterEach(() => void vi.unstubAllEnvs());
afterAll(() => rmSync(data_dir, { recursive: true, force: true }));

/** Runs the command as an operator does. */
async function operate(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["scripts/operator.ts", ...args], {
    cwd: resolve(import.meta.dirname, "../.."),
    env: { ...process.env, DATA_DIR: data_dir, OPERATOR: "hana", ...env },
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { out, err };
}

describe("a campaign", () => {
  const words = ["--name", "森", "--description", "苗木", "--url", "https://mori.example/", "--to", "2026/12/31 23:59"];

  test("is opened with what was written, from now", async () => {
    const call = vi.fn(async (_operation: { id: string }, { params, body }: { params: object; body?: object }) => ({
      donation_campaign: { ...params, ...body },
    }));
    const open = campaignSubject.read(["open", "mori_2026", ...words], NOW);
    expect(await open({ call } as never)).toMatch(/^mori_2026 {2}open {2}2026-11-20T03:00:00.000Z to 2026-12-31T14:59/);
    expect(call.mock.calls.map(([{ id }]) => id)).toEqual(["openCampaign"]);
  });

  test.each([
    ["--name and --description and --url and --to is missing.", ["open", "mori_2026"]],
    ["--to is missing.", ["open", "mori_2026", ...words, "--to", ""]],
    ['The id "Mori" has not', ["open", "Mori", ...words]],
    ['"http://mori.example" is no https address.', ["open", "mori_2026", ...words, "--url", "http://mori.example"]],
    ['"tomorrow" is no moment.', ["open", "mori_2026", ...words, "--to", "tomorrow"]],
    ["Unknown option '--link'", ["open", "mori_2026", ...words, "--link", "x"]],
    ["It would close", ["open", "mori_2026", ...words, "--from", "2027/01/01 00:00"]],
    ["campaign list", ["close"]],
    ["campaign list", ["remove", "mori_2026"]],
  ])("is refused with %j", (reason, args) => {
    expect(() => campaignSubject.read(args, NOW)).toThrow(reason);
  });
});

test("all given-up events are tried again, also those beyond the first page", async () => {
  const retried: unknown[] = [];
  const rowOf = (outbox_id: string) => ({ outbox_id, kind: "ofuse_sent", created_at: "", last_error: "" });
  const call = async ({ id }: { id: string }, { params, query }: { params?: object; query?: { after?: string } }) => {
    if (id === "retryOutboxRow") return void retried.push(params);
    return query?.after === "a"
      ? { kinds: [], given_up: [rowOf("b")], has_next: false }
      : { kinds: [], given_up: [rowOf("a")], has_next: true };
  };
  expect(await outboxSubject.read(["retry", "all"], NOW)({ call } as never)).toContain("2 events");
  expect(retried).toEqual([{ outbox_id: "a" }, { outbox_id: "b" }]);
  for (const args of [["retry"], ["show"], ["retry", "a", "b"]]) {
    expect(() => outboxSubject.read(args, NOW)).toThrow(Refusal);
  }
});

describe("a time", () => {
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

describe("a mistyped time", () => {
  test.each([
    "0226/12/01 17:00",
    "1999/12/31 23:59",
    "3000/01/01 00:00",
    "9999/12/31 23:59",
    "9999-12-31T23:59:00-09:00",
  ])("is refused for its year: %s", (text) =>
    expect(() => readMoment(text, NOW)).toThrow(/has a year that is not from 2000 to 2999/),
  );
  test.each(["+14:01", "-15:00", "+99:00"])("is refused for its offset: %s", (offset) => {
    expect(() => readMoment(`2026-12-01T17:00:00${offset}`, NOW)).toThrow(/has an offset that no place has/);
  });
  test("is refused with an offset of sixty minutes", () => {
    expect(() => readMoment("2026-12-01T17:00:00+09:60", NOW)).toThrow(/is no moment/);
  });
});

test.each([
  [["set", "--from", "2026/12/01 17:00", "--to", "2026/12/01 17:00"], /would end .* before it begins/],
  [["set", "--from", "2026/11/01 17:00", "--to", "2026/11/02 17:00"], /is over already/],
  [["set"], /--from <moment>/],
  [["set", "--form", "now"], /--from <moment>/],
  [["clear", "--from", "now"], /--from <moment>/],
  [["close"], /--from <moment>/],
  [[], /--from <moment>/],
])("%j is refused with the reason, before anything is opened", (args, reason) => {
  expect(() => maintenanceSubject.read(args, NOW)).toThrow(reason);
});

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
])("reports %j is refused with the reason, before anything is opened", (args, reason) => {
  expect(() => reportsSubject.read(args, NOW)).toThrow(reason);
});

test.each([
  [[], /money refund/],
  [["payment"], /money refund/],
  [["payment", "'; DROP TABLE users;--"], /is no id of a payment/],
  [["refund", "pi_1"], /is no such id/],
  [["hold", "all"], /is no such id/],
  [["hold"], /money refund/],
  [["refund", REPORT, "500"], /money refund/],
  [["refund", REPORT, "--end-renewal", "500"], /money refund/],
  [["hold", REPORT, "--end-renewal"], /money refund/],
  [["balances", "now"], /money refund/],
])("money %j is refused with the reason, before anything is opened", (args, reason) => {
  expect(() => moneySubject.read(args, NOW)).toThrow(reason);
});

test.each([
  [[], false],
  [["--end-renewal"], true],
])("money refund with %j ends the plan: %s", async (flags, ends_renewal) => {
  const asked: unknown[] = [];
  const call = async (_operation: unknown, input: object) => {
    asked.push(input);
    return { payment: { amount: 0, fee: 0, donation: 0, creator_share: 0, refunds: [], disputes: [] } };
  };
  await moneySubject.read(["refund", REPORT, ...flags], NOW)({ call: call as never });
  expect(asked).toEqual([{ params: { payment_id: REPORT }, body: { ends_renewal } }]);
});

describe("ledger check", () => {
  /** A site whose ledger has these parts. */
  const siteWith = (parts: Record<number, { breaches: object[]; next: number | null }>) => ({
    call: (async (_operation: unknown, { query }: { query: { after: number } }) => parts[query.after]) as never,
  });
  const breach = { name: "transfer_unbalanced", sentence: "They do not sum to zero.", offenders: ["01", "02"] };

  test("reads every part, and says that all is well", async () => {
    const site = siteWith({ 0: { breaches: [], next: 50 }, 50: { breaches: [], next: null } });
    expect(await ledgerSubject.read(["check"], NOW)(site)).toBe("Every invariant of the ledger holds.");
  });

  test("fails with the invariants that do not hold in any part, and their rows", async () => {
    const site = siteWith({ 0: { breaches: [breach], next: 50 }, 50: { breaches: [breach], next: null } });
    const lines = "transfer_unbalanced: They do not sum to zero.\n  01\n  02";
    await expect(ledgerSubject.read(["check"], NOW)(site)).rejects.toThrow(`${lines}\n${lines}`);
  });

  test.each([[[]], [["check", "all"]], [["repair"]]])("%j is refused before anything is opened", (args) => {
    expect(() => ledgerSubject.read(args, NOW)).toThrow(/ledger check/);
  });
});

describe("a folder that no server uses", () => {
  /** Opens the site as the command does, and closes it after the act. */
  async function withSite<T>(work: (act: (subject: Subject, ...args: string[]) => Promise<string>) => Promise<T>) {
    const site = await openSite(data_dir);
    try {
      return await work((subject, ...args) => subject.read(args, NOW)(site));
    } finally {
      await site.close();
    }
  }
  const inDatabase = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(storageFile(data_dir, "api"));
    try {
      return work(database);
    } finally {
      database.close();
    }
  };

  test("is changed directly, and records what was done by whom", async () => {
    vi.stubEnv("OPERATOR", "hana");
    const now = new Date(NOW).toISOString();
    inDatabase((database) => {
      const addUser = database.prepare(
        "INSERT INTO users (user_id, identity_id, link_id, name, created_at) VALUES (?1, ?1, ?1, '名前', ?2)",
      );
      for (const link_id of ["reported", "reporter"]) addUser.run(link_id, now);
      database
        .prepare(
          `INSERT INTO reports (report_id, reporter_user_id, subject_type, subject_id, subject_user_id, reason, created_at)
            VALUES (?1, 'reporter', 'ofuse', ?1, 'reported', 'others', ?2)`,
        )
        .run(REPORT, now);
    });
    await withSite(async (act) => {
      expect(await act(maintenanceSubject, "show")).toMatch(/^status {2}NO_MAINTENANCE_SCHEDULED/);
      const set = await act(maintenanceSubject, "set", "--from", "2040/12/01 17:00", "--to", "2040/12/01 20:00");
      expect(set).toContain("from    2040/12/01 17:00 JST (2040-12-01T08:00:00.000Z)");
      const unknown = "01kaf2m8q3v7x1n5r9t4w6y8zf";
      await expect(act(reportsSubject, "show", unknown)).rejects.toThrow(`There is no report ${unknown}.`);
      await expect(act(reportsSubject, "decide", unknown, "kept")).rejects.toThrow(`There is no report ${unknown}.`);
      const decided = await act(reportsSubject, "decide", REPORT, "kept", "--note", "It's fine");
      expect(decided).toMatch(/^1 report decided: kept/);
      expect(await act(reportsSubject, "show", REPORT)).toMatch(/^decision {2}kept, \d{4}-.*Z: It's fine$/m);
      expect(await act(reportsSubject, "list")).toBe("Nothing waits.");
    });
    const outbox = inDatabase((database) =>
      database.prepare("SELECT payload FROM outbox WHERE kind = 'report_decided'").all(),
    );
    expect(outbox).toMatchObject([{ payload: expect.stringContaining("It's fine") }]);
    await withSite(async (act) => {
      expect(await act(maintenanceSubject, "show"), "also afterwards").toBe(
        "status  MAINTENANCE_SCHEDULED\nfrom    2040/12/01 17:00 JST (2040-12-01T08:00:00.000Z)\nto      2040/12/01 20:00 JST (2040-12-01T11:00:00.000Z)",
      );
      await act(maintenanceSubject, "set", "--from", "now");
      expect(await act(maintenanceSubject, "show")).toMatch(/^status {2}UNDER_MAINTENANCE\nfrom .*\nto {6}-$/);
      expect(await act(maintenanceSubject, "clear")).toMatch(/^status {2}NO_MAINTENANCE_SCHEDULED/);
      expect(await act(maintenanceSubject, "show")).toMatch(/^status {2}NO_MAINTENANCE_SCHEDULED/);
      const acts = (await act(actsSubject)).split("\n").map((line) => line.split("  ").slice(1, 4));
      expect(acts).toEqual([
        ["hana", "clearMaintenance", "-"],
        ["hana", "setMaintenance", "-"],
        ["hana", "decideReport", REPORT],
        ["hana", "setMaintenance", "-"],
      ]);
    });
  }, 120_000);

  test("is not created", async () => {
    await expect(openSite(join(data_dir, "nothing"))).rejects.toThrow(/There are no data in/);
  });

  test("is left alone while another process holds it without serving", async () => {
    const claim = await claimData(data_dir);
    try {
      await expect(openSite(data_dir)).rejects.toThrow(/Another runner/);
    } finally {
      claim.release();
    }
  });
});

test("reaches a served folder over HTTP with the key from its secrets", async () => {
  const network = await startNetwork({ data_dir, has_pictures: false });
  try {
    expect(servedUrl(data_dir)).toBe(network.url);
    expect((await operate(["maintenance", "show"])).out).toMatch(/^status {2}NO_MAINTENANCE_SCHEDULED/);
    expect(statSync(join(data_dir, "secrets.json")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(data_dir, "runner.json"), "utf8")).not.toContain(network.secrets.OPERATOR_KEY);
    const stranger = siteAt(network.url, "another-operator-key-000000000000000001", "hana");
    await expect(maintenanceSubject.read(["show"], NOW)(stranger)).rejects.toThrow(/does not take this OPERATOR_KEY/);
    await expect(reportsSubject.read(["show", REPORT], NOW)(stranger)).rejects.toThrow(/does not take this/);
  } finally {
    await network.stop();
  }
  expect(servedUrl(data_dir)).toBeUndefined();
}, 120_000);

describe("the production site", () => {
  test.each([
    [{ OPERATOR_URL: "", SITE_DOMAIN: "none", OPERATOR_KEY: "k" }, "Say where the site is"],
    [{ OPERATOR_URL: "http://ofuse.example", OPERATOR_KEY: "k" }, "Say where the site is"],
    [{ OPERATOR_URL: "https://ofuse.example", OPERATOR_KEY: "" }, "OPERATOR_KEY is not set"],
    [{ OPERATOR_URL: "https://ofuse.example", OPERATOR_KEY: "k", OPERATOR: "two words" }, "OPERATOR takes"],
    [{ OPERATOR_URL: "https://127.0.0.1:9", OPERATOR_KEY: "k".repeat(32) }, "does not answer"],
  ])("is not contacted with %j", async (env, reason) => {
    expect((await operate(["--remote", "maintenance", "show"], env as Record<string, string>)).err).toContain(reason);
  });
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
  const reasonsIn = (text: string) => configRefusals(config(text)).filter((reason) => reason.includes("MAINTENANCE"));
  expect(["", '{"status":"UNDER_MAINTENANCE","finished_at":"2026-12-01T20:00:00+09:00"}'].flatMap(reasonsIn)).toEqual(
    [],
  );
  expect(
    ["closed", '{"status":"CLOSED"}', '{"status":"UNDER_MAINTENANCE","finished_at":"20:00"}'].flatMap(reasonsIn),
  ).toHaveLength(3);
});
