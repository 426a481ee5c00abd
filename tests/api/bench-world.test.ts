import { expect, test } from "vitest";
import { PAYMENTS, payments, RELEASED_AFTER } from "../../scripts/bench/ledger-rows.ts";
import {
  counters,
  endingsOfNames,
  eventCounts,
  type Fill,
  figures,
  fills,
  letterWords,
  totals,
} from "../../scripts/bench/rows.ts";
import { leadOf } from "../../workers/api/events/rules.ts";
import { checkNextPart } from "../../workers/api/ledger/check.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { isId } from "../../workers/kernel/ids.ts";
import { d1, emptyDatabase } from "./support/context.ts";

/** A small part of the benchmark's data. It includes the most popular creator with posts and followers. */
const ROWS = 1_500;

const insertRows = ({ statements, rows }: Fill, from: number, to: number) =>
  d1.batch(statements(from, Math.min(to, rows)).map((statement) => d1.prepare(statement)));

const selectAll = async (sql: string) => (await d1.prepare(sql).all<Record<string, unknown>>()).results;

test("the benchmark's data fit the schema, and are the same for every batch size", async () => {
  const readTables = async () => ({
    users: await selectAll("SELECT rowid AS number, * FROM users ORDER BY rowid"),
    events: await selectAll("SELECT rowid AS number, * FROM events ORDER BY rowid"),
    relationships: await selectAll("SELECT * FROM relationships"),
  });
  await emptyDatabase();
  for (const fill of fills) await insertRows(fill, 0, ROWS);
  const { users, events, relationships } = await readTables();

  expect(users).toHaveLength(ROWS);
  expect(events.length).toBeGreaterThan(3);
  expect(relationships.length).toBeGreaterThan(50);
  for (const rows of [users.map(({ user_id }) => user_id), events.map(({ event_id }) => event_id)]) {
    expect(rows.every((id) => isId(String(id)))).toBe(true);
    expect(rows).toEqual(rows.toSorted());
  }
  for (const { lead, body } of events) expect(lead).toBe(leadOf(String(body)));

  // The triggers are active in this database, so their counts are compared with those that the benchmark sets.
  expect(users.some(({ followers_count }) => Number(followers_count) > 20)).toBe(true);
  const counted = await selectAll("SELECT * FROM totals");
  expect(counted.filter(({ total }) => Number(total) > 0).length).toBeGreaterThan(1);
  await insertRows(counters, 0, ROWS);
  await insertRows(totals, 0, ROWS);
  expect(await selectAll("SELECT * FROM totals")).toEqual(counted);
  expect((await readTables()).users).toEqual(users);
  await insertRows(figures, 0, 1);
  expect(await selectAll("SELECT 1 FROM creator_figures WHERE measure = 'followers'")).not.toEqual([]);
  const endings = await selectAll("SELECT * FROM name_endings");
  expect(endings.length).toBeGreaterThan(ROWS);
  await d1.exec("DELETE FROM name_endings");
  await insertRows(endingsOfNames, 0, ROWS);
  expect(await selectAll("SELECT * FROM name_endings")).toEqual(endings);
  // With so few people, hardly a letter has both of its people.
  await d1.exec(
    "INSERT INTO ofuses (ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, reply_message, replied_at, created_at) SELECT 'o', (SELECT user_id FROM users WHERE rowid = 1), user_id, 0, 'M', 0, 'R', created_at, created_at FROM users WHERE rowid = 2",
  );
  const found = await selectAll("SELECT * FROM letter_words");
  expect(found.length).toBeGreaterThan(1);
  await d1.exec("DELETE FROM letter_words");
  await insertRows(letterWords, 0, ROWS);
  expect(await selectAll("SELECT * FROM letter_words")).toEqual(found);
  // With so few rows, only some comments are on existing posts.
  await d1.exec(
    "INSERT INTO event_comments (comment_id, event_id, user_id, message, created_at) SELECT 'c', event_id, user_id, 'm', created_at FROM events LIMIT 1",
  );
  const commented = await selectAll("SELECT * FROM event_counts");
  expect(commented.length).toBeGreaterThan(0);
  await insertRows(eventCounts, 0, 1);
  expect(await selectAll("SELECT * FROM event_counts")).toEqual(commented);

  for (const table of ["relationships", "ofuses", "events", "users"]) await d1.exec(`DELETE FROM ${table}`);
  for (const fill of fills) {
    if (fill.rows > ROWS) await insertRows(fill, 0, 400);
    await insertRows(fill, fill.rows > ROWS ? 400 : 0, ROWS);
  }
  const again = await readTables();
  expect(again.events).toEqual(events);
  expect(again.users.map(({ name, user_id }) => [name, user_id])).toEqual(
    users.map(({ name, user_id }) => [name, user_id]),
  );
});

test("the benchmark's payments and their releases break only the rules that need letters and people", async () => {
  await emptyDatabase();
  // The benchmark fills tables without triggers as well.
  const triggers = await selectAll(
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND (tbl_name LIKE 'ledger%' OR tbl_name = 'payments')",
  );
  await d1.batch(triggers.map(({ name }) => d1.prepare(`DROP TRIGGER ${name}`)));
  await insertRows({ ...payments, rows: ROWS }, 0, 1_100);
  await insertRows({ ...payments, rows: ROWS }, 1_100, ROWS);
  await d1.batch(triggers.map(({ sql }) => d1.prepare(String(sql))));

  const [{ postings } = {}] = await selectAll("SELECT COUNT(*) AS postings FROM ledger_postings");
  expect(postings).toBe(3 * ROWS + 2 * (ROWS - RELEASED_AFTER));
  expect(3 * PAYMENTS + 2 * (PAYMENTS - RELEASED_AFTER)).toBeGreaterThan(1_000_000);
  // A payment is released when its week is over.
  await d1.exec(
    `UPDATE payments SET released_at = NULL WHERE available_at > (SELECT MAX(created_at) FROM ledger_transfers)`,
  );
  const { breaches, next } = await checkNextPart(openDatabase(d1), 0);
  // So small a part of the data has few people.
  expect(breaches.map(({ name }) => name)).toEqual(["letter_not_as_paid", "account_of_nobody"]);
  expect(next).toBeNull();
});
