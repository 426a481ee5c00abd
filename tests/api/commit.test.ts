import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { follow, unfollow } from "../../workers/api/relationships/commands.ts";
import { type Change, commit, IdempotencyRace } from "../../workers/api/storage/commit.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { addUser, contextOf, d1, NOW_MS } from "./support/context.ts";

const database = openDatabase(d1);
const newKeyRow = (key: string) => ({
  scope: "a person, an operation",
  key,
  body_hash: "h",
  status: 200,
  answer: { a: 1 },
});

async function countRows(table: "users" | "outbox" | "idempotency_keys" | "relationships"): Promise<number> {
  return (await d1.prepare(`SELECT COUNT(*) AS n FROM ${table}`).first<{ n: number }>())?.n ?? -1;
}

function changeOf(name: string): Change {
  return {
    statements: [
      database
        .insertInto("users")
        .values({ user_id: name, identity_id: name, link_id: name, name, created_at: "2026-11-20T00:00:00.000Z" })
        .compile(),
    ],
    announcements: [{ event: { kind: "followed", payload: { follower_id: name, following_id: name } } }],
  };
}

describe("commit", () => {
  test("writes the change, its outbox row and its idempotency row together", async () => {
    const before = await Promise.all([countRows("users"), countRows("outbox"), countRows("idempotency_keys")]);
    const ids = await commit(
      { d1, database, now_ms: NOW_MS, idempotency: newKeyRow("together-1") },
      changeOf("together"),
    );
    expect(ids).toHaveLength(1);
    const after = await Promise.all([countRows("users"), countRows("outbox"), countRows("idempotency_keys")]);
    expect(after.map((n, index) => n - (before[index] ?? 0))).toEqual([1, 1, 1]);
  });

  test("writes nothing when the last statement fails", async () => {
    const before = await Promise.all([countRows("users"), countRows("outbox"), countRows("idempotency_keys")]);
    const change = changeOf("halfway");
    change.statements.push(sql`INSERT INTO users (user_id) VALUES ('no name')`.compile(database));
    await expect(commit({ d1, database, now_ms: NOW_MS, idempotency: newKeyRow("halfway-1") }, change)).rejects.toThrow(
      /NOT NULL/,
    );
    expect(await Promise.all([countRows("users"), countRows("outbox"), countRows("idempotency_keys")])).toEqual(before);
  });

  test("names the precondition that failed, and writes nothing", async () => {
    const before = await countRows("users");
    const change = changeOf("refused");
    change.preconditions = [{ code: "not_found", holds: sql`SELECT 1 = 2` }];
    await expect(commit({ d1, database, now_ms: NOW_MS, idempotency: null }, change)).rejects.toMatchObject({
      name: "Problem",
      code: "not_found",
    });
    expect(await countRows("users")).toBe(before);
  });

  test("refuses a precondition about a missing row", async () => {
    const change = changeOf("nobody");
    change.preconditions = [{ code: "not_found", holds: sql`SELECT 1 FROM users WHERE user_id = 'nobody there'` }];
    await expect(commit({ d1, database, now_ms: NOW_MS, idempotency: null }, change)).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("lets one of a hundred writers under one key write", async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) =>
        commit({ d1, database, now_ms: NOW_MS, idempotency: newKeyRow("race-0001") }, changeOf(`racer${index}`)),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(IdempotencyRace);
    }
    const { n } = (await d1
      .prepare("SELECT COUNT(*) AS n FROM users WHERE user_id LIKE 'racer%'")
      .first<{ n: number }>()) ?? { n: -1 };
    expect(n).toBe(1);
  });

  test("has no alternative: D1 refuses interactive transactions", async () => {
    await expect(d1.prepare("BEGIN TRANSACTION").run()).rejects.toThrow();
  });
});

describe("following", () => {
  test("counts the follow once and notifies once", async () => {
    const fan = await addUser("counting_fan");
    const creator = await addUser("counting_creator");
    const countFollows = async () =>
      (await d1.prepare("SELECT COUNT(*) AS n FROM outbox WHERE kind = 'followed'").first<{ n: number }>())?.n ?? 0;
    const before = await countFollows();
    const context = contextOf(fan);
    await follow(context, creator);
    await follow(context, creator);
    const readCounts = () =>
      d1.prepare("SELECT followers_count AS n FROM users WHERE user_id = ?").bind(creator).first<{ n: number }>();
    expect(await readCounts()).toEqual({ n: 1 });
    expect((await countFollows()) - before).toBe(1);
    await unfollow(context, creator);
    await unfollow(context, creator);
    expect(await readCounts()).toEqual({ n: 0 });
  });
});
