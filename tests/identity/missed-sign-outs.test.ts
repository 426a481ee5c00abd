import { afterEach, beforeEach, expect, test } from "vitest";
import { MemoryDatabase } from "../../scripts/memory-d1.ts";
import { openIdentity } from "../../workers/identity/storage/database.ts";
import { notifyOfMissedSignOuts } from "../../workers/identity/watch/tell.ts";
import { bindings, unbound } from "./support.ts";

/** What the clock tells open pages of sign-outs that no request reported. */

let database: MemoryDatabase;
beforeEach(() => {
  database = new MemoryDatabase("identity");
});
afterEach(() => database.close());

const NOW_MS = Date.parse("2026-11-22T15:30:00.000Z");
const at = (ms: number) => new Date(NOW_MS + ms).toISOString();

/** Adds accounts that were signed out at this time. */
function addSignedOut(prefix: string, number: number, revoked_at: string): string[] {
  const ids = Array.from({ length: number }, (_, index) => `${prefix}-account-${String(index).padStart(4, "0")}`);
  for (const id of ids) {
    database.run("INSERT INTO accounts (local_id, valid_since, created_at) VALUES (?, ?, ?)", [id, at(0), at(0)]);
    database.run(
      `INSERT INTO sign_ins (sign_in_id, local_id, sign_in_provider, signed_in_at, last_used_at, revoked_at)
       VALUES (?, ?, 'password', ?, ?, ?)`,
      [id, id, at(-3600_000), at(-3600_000), revoked_at],
    );
  }
  return ids;
}

test("tells the rooms of all accounts that were signed out lately, also when some rooms fail", async () => {
  const ids = addSignedOut("lately", 450, at(-1000));
  addSignedOut("before", 1, at(-3600_000));
  const told: string[] = [];
  const look = async (id: string) => {
    told.push(id);
    if (id === ids[0] || id === ids[300]) throw new Error(`no room for ${id}`);
  };
  const env = { ...bindings, ...unbound, DB: database.connect(), SIGN_OUT_WATCH: { getByName: () => ({ look }) } };
  const identity = openIdentity(env as unknown as IdentityEnv, NOW_MS);
  await expect(notifyOfMissedSignOuts(identity)).rejects.toThrow(`2 rooms failed, first: Error: no room for ${ids[0]}`);
  expect(told).toEqual(ids);
});

test("reads the lately ended sign-ins alone, each account once", async () => {
  const [id = ""] = addSignedOut("twice", 1, at(-2000));
  database.run(
    `INSERT INTO sign_ins SELECT 'another-sign-in-of-it', local_id, sign_in_provider, second_factor, second_factor_id,
       device, signed_in_at, last_used_at, ? FROM sign_ins`,
    [at(-1000)],
  );
  const told: string[] = [];
  const read: string[] = [];
  const d1 = database.connect();
  const prepare = (text: string) => {
    read.push(text);
    return d1.prepare(text);
  };
  const DB = new Proxy(d1, {
    get: (target, name) => (name === "prepare" ? prepare : Reflect.get(target, name).bind(target)),
  });
  const SIGN_OUT_WATCH = { getByName: () => ({ look: async (local_id: string) => void told.push(local_id) }) };
  const env = { ...bindings, ...unbound, DB, SIGN_OUT_WATCH };
  await notifyOfMissedSignOuts(openIdentity(env as unknown as IdentityEnv, NOW_MS));
  expect(told).toEqual([id]);
  const plans = read.flatMap((text) => database.run(`EXPLAIN QUERY PLAN ${text}`, [at(0)]).results);
  expect(plans).toMatchObject([{ detail: "SEARCH sign_ins USING INDEX sign_ins_by_end (revoked_at>?)" }]);
});
