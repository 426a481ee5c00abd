import { beforeAll, expect, test } from "vitest";
import { findEdgeState } from "../../workers/api/edge/queries.ts";
import { findTopStats } from "../../workers/api/stats/queries.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, NOW_MS } from "./support/context.ts";

const now = new Date(NOW_MS).toISOString();
const runSql = (sql: string, ...values: unknown[]) =>
  d1
    .prepare(sql)
    .bind(...values)
    .run();
const readFigures = async () => Object.values(await findTopStats(contextOf(null), "all"));
const readVersion = async () => (await findEdgeState(contextOf(null), undefined)).version;

let creator: string;
let fan: string;
beforeAll(async () => {
  fan = await addUser("counted_fan");
  creator = await addUser("counted", { is_creator: 1 });
});

const addEvents = (count: number, columns = "'published', 'public'") =>
  d1.batch(
    Array.from({ length: count }, () =>
      d1
        .prepare(
          `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, publish_at, created_at)
           VALUES (?1, ?2, 'blog', 'x', 'x', 'x', ${columns}, ?3, ?3, ?3)`,
        )
        .bind(newId(NOW_MS), creator, now),
    ),
  );
const addLetter = (ofuse_id: string) =>
  runSql(
    `INSERT INTO ofuses (ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, created_at)
     VALUES (?, ?, ?, 0, 'x', 0, ?)`,
    ofuse_id,
    fan,
    creator,
    now,
  );

test("creators, public posts and letters are counted as they come and go", async () => {
  expect(await readFigures()).toEqual([1, 0, 0]);
  await runSql("UPDATE users SET is_creator = 1 WHERE user_id = ?", fan);
  expect(await readFigures()).toEqual([2, 0, 0]);
  await runSql("UPDATE users SET is_creator = 0 WHERE user_id = ?", fan);
  const passing = await addUser("counted_passing", { is_creator: 1 });
  expect(await readFigures()).toEqual([2, 0, 0]);
  await runSql("DELETE FROM users WHERE user_id = ?", passing);
  expect(await readFigures()).toEqual([1, 0, 0]);

  await addEvents(3);
  await addEvents(1, "'private', 'public'");
  await addEvents(1, "'publish_pending', 'public'");
  await addEvents(1, "'published', 'fans'");
  expect(await readFigures()).toEqual([1, 3, 0]);
  await runSql("UPDATE events SET status = 'published' WHERE status = 'publish_pending'");
  expect(await readFigures()).toEqual([1, 4, 0]);
  await runSql("UPDATE events SET publish_target_type = 'fans' WHERE publish_target_type = 'public'");
  expect(await readFigures()).toEqual([1, 0, 0]);
  await runSql("UPDATE events SET publish_target_type = 'public'");
  expect(await readFigures(), "one is private").toEqual([1, 5, 0]);
  await runSql("DELETE FROM events");
  expect(await readFigures()).toEqual([1, 0, 0]);

  const letter = newId(NOW_MS);
  await addLetter(letter);
  expect(await readFigures()).toEqual([1, 0, 1]);
  await runSql("UPDATE ofuses SET opened_at = ?", now);
  await runSql("DELETE FROM ofuses");
  expect(await readFigures()).toEqual([1, 0, 0]);
});

test("a creator is not counted while disabled", async () => {
  const disabled = await addUser("counted_disabled", { is_creator: 1 });
  await runSql("UPDATE users SET disabled_at = ? WHERE user_id IN (?, ?)", now, disabled, fan);
  expect(await readFigures(), "the fan is no creator").toEqual([1, 0, 0]);
  await runSql("UPDATE users SET disabled_at = NULL");
  expect(await readFigures()).toEqual([2, 0, 0]);
  await runSql("DELETE FROM users WHERE user_id = ?", disabled);
});

test.each([
  [0, 0],
  [7, 7],
  [99, 99],
  [100, 100],
  [109, 100],
  [110, 110],
  [1_999, 1_900],
  [614_307, 610_000],
  [1_000_000, 1_000_000],
])("shows %i as %i", async (total, shown) => {
  await runSql("UPDATE totals SET total = ? WHERE scope = 'ofuses'", total);
  expect(await readFigures()).toEqual([1, 0, shown]);
});

test("the first page changes its version exactly when a figure on it changes", async () => {
  await runSql("UPDATE totals SET total = 1008 WHERE scope = 'ofuses'");
  const before = await readVersion();
  for (let n = 0; n < 91; n++) await addLetter(newId(NOW_MS));
  expect([await readVersion(), (await readFigures())[2]]).toEqual([before, 1_000]);
  await addLetter(newId(NOW_MS));
  expect((await readFigures())[2]).toBe(1_100);
  expect(await readVersion()).not.toBe(before);
});
