import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MemoryDatabase } from "../../scripts/memory-d1.ts";
import { openIdentity } from "../../workers/identity/storage/database.ts";
import { purgeRows } from "../../workers/identity/storage/purge.ts";
import { bindings, unbound } from "./support.ts";

const NOW_MS = Date.parse("2026-11-22T15:30:00.000Z");
let database: MemoryDatabase;
beforeEach(() => {
  database = new MemoryDatabase("identity");
});
afterEach(() => {
  vi.restoreAllMocks();
  database.close();
});

function purge(): Promise<void> {
  const env = { ...bindings, ...unbound, DB: database.connect() };
  return purgeRows(openIdentity(env as unknown as IdentityEnv, NOW_MS));
}
const countAttempts = () => database.run("SELECT count(*) AS n FROM attempts", []).results[0]?.n;
const addAttempts = (count: number) =>
  database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO attempts (attempt_id, kind, subject, attempted_at)
       SELECT i, 'account_sign_in', printf('%064d', i), strftime('%Y-%m-%dT%H:%M:%fZ', '2026-11-01', i || ' seconds') FROM n`,
    [count],
  );

test("deletes the ten thousand oldest rows of a table in one run, and the rest in the next", async () => {
  addAttempts(10_003);
  await purge();
  expect(countAttempts()).toBe(3);
  await purge();
  expect(countAttempts()).toBe(0);
});

test("purges the other tables when one fails, and fails afterwards", async () => {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  addAttempts(1);
  database.run("DROP TABLE challenges", []);
  await expect(purge()).rejects.toThrow("challenges");
  expect(countAttempts()).toBe(0);
  expect(logged).toHaveBeenCalledOnce();
});
