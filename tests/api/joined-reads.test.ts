import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { watchOthers } from "../support/others.ts";
import { d1 } from "./support/context.ts";

/** Opens the database as one request does, and counts its reads. */
function openCounted() {
  const count = { trips: 0, statements: 0, repeats: 0 };
  const database = openDatabase(d1, count);
  const read = async (text: string) => (await sql<{ n: unknown }>`SELECT ${text} AS n`.execute(database)).rows[0]?.n;
  return { count, database, read };
}

describe("reads of one request", () => {
  test("that begin together are one trip, and equal ones one statement", async () => {
    const { count, read } = openCounted();
    expect(await Promise.all(["a", "b", "a"].map(read))).toEqual(["a", "b", "a"]);
    expect(count).toEqual({ trips: 1, statements: 2, repeats: 0 });
  });

  test("are one trip even when a handler does something else first", async () => {
    const { count, read } = openCounted();
    const readLate = async () => {
      for (let step = 0; step < 20; step++) await null;
      return read("b");
    };
    expect(await Promise.all([read("a"), readLate()])).toEqual(["a", "b"]);
    expect(count.trips).toBe(1);
  });

  test("that follow each other are a trip each, and a repeated one is counted", async () => {
    const { count, read } = openCounted();
    expect([await read("a"), await read("b"), await read("a")]).toEqual(["a", "b", "a"]);
    expect(count).toEqual({ trips: 3, statements: 3, repeats: 1 });
  });

  test("fail alone", async () => {
    const { database, read } = openCounted();
    const broken = sql`SELECT x FROM nowhere`.execute(database);
    const [good, bad, other] = await Promise.allSettled([read("a"), broken, read("b")]);
    expect([good, other]).toMatchObject([{ value: "a" }, { value: "b" }]);
    expect(bad).toMatchObject({ reason: { message: expect.stringContaining("nowhere") } });
  });

  test("let others run when they are many, also where the database is in the same process", async () => {
    const answered = { bind: () => ({ all: async () => ({ success: true, results: [{ n: 1 }], meta: {} }) }) };
    const database = openDatabase({ prepare: () => answered } as unknown as D1Database);
    const haveOthersRun = watchOthers();
    for (let trip = 0; trip < 20; trip++) await sql`SELECT ${trip} AS n`.execute(database);
    expect(haveOthersRun()).toBe(true);
  });
});
