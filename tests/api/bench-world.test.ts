import { expect, test } from "vitest";
import { counters, eventCounts, type Fill, fills, letterWords, totals } from "../../scripts/bench/rows.ts";
import { leadOf } from "../../workers/api/events/rules.ts";
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
