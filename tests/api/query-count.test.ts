import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { registry } from "../../workers/api/domains.ts";
import { importKey } from "../../workers/api/imports/rules.ts";
import worker from "../../workers/api/index.ts";
import { takeOverMissed } from "../../workers/api/refunds/commands.ts";
import { startRebuild } from "../../workers/api/search/commands.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { openSearchDatabase } from "../../workers/api/storage/search-database.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { Problem } from "../../workers/kernel/problem.ts";
import { runBatch } from "../../workers/storage/commit.ts";
import { beginCount, countQueries, halfOfRest, isSpent } from "../../workers/storage/query-count.ts";
import { addUser, d1, emptyDatabase, noGateway, servicesOf } from "./support/context.ts";
import { limitQueries } from "./support/limited-database.ts";

beforeEach(() => void vi.spyOn(console, "log").mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

test("a read, reads that travel together, and a batch count as one query each", async () => {
  const count = beginCount(false);
  const counted = countQueries(d1, count);
  const database = openDatabase(counted);
  const read = (user_id: string) =>
    database.selectFrom("users").select("link_id").where("user_id", "=", user_id).executeTakeFirst();
  const user_id = await addUser("counted");
  expect(await read(user_id)).toEqual({ link_id: "counted" });
  expect(count.sent).toBe(1);
  expect(await Promise.all([read(user_id), read("nobody")])).toEqual([{ link_id: "counted" }, undefined]);
  expect(count.sent).toBe(2);
  const rename = database.updateTable("users").set({ name: "数えた" }).where("user_id", "=", user_id);
  await runBatch(counted, [rename, rename]);
  expect(count.sent).toBe(3);
});

test("each step may send half of what is left, and nothing begins at the end", () => {
  const count = { ...beginCount(false), sent: 800 };
  const isOver = halfOfRest(count);
  count.sent += 49;
  expect(isOver()).toBe(false);
  count.sent += 1;
  expect(isOver()).toBe(true);
  expect(halfOfRest(count)()).toBe(false);
  count.sent = 900;
  expect([halfOfRest(count)(), isSpent(count)]).toEqual([true, true]);
  const anywhere = { ...beginCount(true), sent: 100_000 };
  expect([halfOfRest(anywhere)(), isSpent(anywhere)], "on one machine").toEqual([false, false]);
});

describe("with D1's limit of queries", () => {
  const MAILS = { fetch: async () => Response.json({ addresses: [], deliveries: [] }) };
  const deployed = { ENVIRONMENT: "production", MAILS };
  /** Runs the clock as one invocation of the worker. */
  const runClock = () => {
    const { DB, SEARCH } = limitQueries({ DB: env.DB, SEARCH: env.SEARCH });
    return worker.scheduled?.({} as ScheduledController, { ...env, ...deployed, DB, SEARCH } as never);
  };
  const stepsOnRecord = async () => {
    const { results } = await d1.prepare("SELECT step, is_failed FROM clock_runs").all();
    return new Map(results.map(({ step, is_failed }) => [step, is_failed]));
  };
  const numberOf = async (from: string) =>
    (await d1.prepare(`SELECT COUNT(*) AS number FROM ${from}`).first<{ number: number }>())?.number ?? -1;

  beforeEach(emptyDatabase);

  test("an import of many posts ends, and each run of the clock does all its steps", async () => {
    const POSTS = 350;
    const [user_id, import_id] = [await addUser("importer", { is_creator: 1 }), "01arz3ndektsv4rrffq69g5fad"];
    const item = (n: number) =>
      `<item><guid>p${n}</guid><title>${n}</title><description>本文 ${n}</description></item>`;
    const xml = `<rss><channel>${Array.from({ length: POSTS }, (_, n) => item(n)).join("")}</channel></rss>`;
    await env.MEDIA.put(importKey(import_id), xml);
    await d1.batch([
      d1
        .prepare(
          `INSERT INTO imports (import_id, user_id, kind, file_name, bytes, status, created_at)
            VALUES (?, ?, 'wxr', 'posts.xml', ?, 'importing', ?)`,
        )
        .bind(import_id, user_id, new TextEncoder().encode(xml).byteLength, isoTime(Date.now())),
      d1
        .prepare(
          `INSERT INTO import_items (import_id, position, kind, item_key, title, state)
            SELECT ?, value, 'post', 'p' || value, value, 'planned' FROM json_each(?)`,
        )
        .bind(import_id, JSON.stringify(Array.from({ length: POSTS }, (_, n) => n))),
      d1
        .prepare(
          `INSERT INTO outbox (outbox_id, kind, payload, created_at)
            VALUES ('import', 'import_continues', json_object('import_id', ?, 'round', 1), ?)`,
        )
        .bind(import_id, isoTime(Date.now())),
    ]);
    await runClock();
    const steps = await stepsOnRecord();
    expect([...steps.keys()]).toEqual(expect.arrayContaining(["dispatchOutbox", "purgeExpired", "maintainSearch"]));
    expect(new Set(steps.values())).toEqual(new Set([0]));
    expect(await numberOf("outbox WHERE kind = 'import_continues' AND attempts > 0")).toBe(0);
    for (let run = 0; run < 5 && (await numberOf("imports WHERE status = 'importing'")) > 0; run++) await runClock();
    expect(await numberOf("import_items WHERE state = 'done'")).toBe(POSTS);
    expect(await numberOf("imports WHERE status = 'completed'")).toBe(1);
  });

  test("many rows that are dispatched one by one leave the later steps their queries", async () => {
    const user_id = await addUser("pushed");
    await d1
      .prepare(
        `INSERT INTO outbox (outbox_id, kind, payload, created_at)
          SELECT 'push ' || value, 'creator_changed', json_object('user_id', ?), ?
          FROM json_each(?)`,
      )
      .bind(user_id, isoTime(Date.now()), JSON.stringify(Array.from({ length: 300 }, (_, n) => n)))
      .run();
    await runClock();
    expect(new Set((await stepsOnRecord()).values())).toEqual(new Set([0]));
    for (let run = 0; run < 3; run++) await runClock();
    expect(await numberOf("outbox WHERE processed_at IS NULL")).toBe(0);
  });
});

const past = "2026-11-01T00:00:00.000Z";
const insert = async (table: string, row: Record<string, unknown>) => {
  const columns = Object.keys(row);
  await d1
    .prepare(`INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => "?")})`)
    .bind(...Object.values(row))
    .run();
};

const addPayment = (creator: string) =>
  insert("payments", {
    ...{ payment_id: creator, kind: "ofuse_v3", cause_id: creator, creator_user_id: creator, amount: 500, fee: 0 },
    ...{ donation: 500, creator_share: 0, campaign_id: "c", payment_intent_id: creator, charge_id: creator },
    ...{ paid_at: past, available_at: past },
  });

describe("a step of the clock that is over begins no more work:", () => {
  let creator: string;
  beforeEach(async () => {
    creator = await addUser(newId(Date.now()), { is_creator: 1 });
  });

  /** Work that is due, by the step that does it. */
  const due: Record<string, () => Promise<unknown>> = {
    askAgain: () =>
      insert("checkouts", {
        ...{ checkout_id: creator, kind: "ofuse", creator_user_id: creator, amount: 100 },
        ...{ asked_at: past, created_at: past },
      }),
    askGateway: () => insert("abandoned_subscriptions", { gateway_id: "sub", created_at: past }),
    releaseDue: () => addPayment(creator),
    advanceWithdrawals: async () => {
      await addPayment(creator);
      await insert("disputes", {
        ...{ dispute_id: creator, payment_id: creator, status: "open", reason: "", check_at: past, opened_at: past },
      });
    },
    checkAccounts: () => insert("creator_accounts", { ...account(), account_id: creator, check_at: past }),
    requestAutomaticPayouts: () => insert("creator_accounts", { ...account(), automatic_since: past }),
    advancePayouts: () =>
      insert("payouts", {
        ...{ payout_id: creator, user_id: creator, amount: 4000, bank_fee: 250, status: "pending", account_id: "acct" },
        ...{ bank_code: "", bank_name: "", branch_code: "", branch_name: "", account_number_last3: "", check_at: past },
        created_at: past,
      }),
    maintainSearch: () => startRebuild(servicesOf()),
  };
  const account = () => ({ user_id: creator, account_type: "individual", check_at: "2027", created_at: past });
  test.each(Object.entries(due))("%s", async (step, addWork) => {
    vi.spyOn(console, "error").mockReturnValue();
    await addWork();
    const silent = async () => {
      throw new Problem("gateway_unreachable");
    };
    const queriesOf = async (isOver: () => boolean) => {
      const count = beginCount(false);
      const counted = countQueries(d1, count);
      const services = servicesOf({
        ...{ d1: counted, database: openDatabase(counted), gateway: { ...noGateway, call: silent } },
        search: openSearchDatabase(countQueries(env.SEARCH, count)),
      });
      await registry.upkeep[step]?.(services, isOver).catch(() => {});
      return count.sent;
    };
    const over = await queriesOf(() => true);
    expect(await queriesOf(() => false)).toBeGreaterThan(over);
  });
});

test("the hourly look for missed disputes and refunds reads those that it knows at once", async () => {
  const creator = await addUser(newId(Date.now()), { is_creator: 1 });
  await addPayment(creator);
  const ids = Array.from({ length: 30 }, (_, n) => `${creator} ${n}`);
  for (const dispute_id of ids) {
    await insert("disputes", {
      dispute_id,
      payment_id: creator,
      status: "won",
      reason: "",
      opened_at: past,
      ended_at: past,
    });
  }
  const listOf = (found: object[]) => ({ list: () => ({ autoPagingToArray: async () => found }) });
  const stripe = { disputes: listOf(ids.map((id) => ({ id }))), refunds: listOf([]) };
  const count = beginCount(false);
  const counted = countQueries(d1, count);
  await takeOverMissed(
    servicesOf({
      ...{ d1: counted, database: openDatabase(counted) },
      gateway: { ...noGateway, call: async (ask) => ask(stripe as never) },
      clock: { now: () => Date.parse("2027-01-01") },
    }),
  );
  expect(count.sent).toBeLessThan(10);
});
