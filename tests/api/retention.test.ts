import { expect, onTestFinished, test, vi } from "vitest";
import { domains, registry } from "../../workers/api/domains.ts";
import { countPayment } from "../../workers/api/payments/commands.ts";
import { APPEAL_WITHOUT_WORDS, deleteOldWords } from "../../workers/api/reports/commands.ts";
import { commit } from "../../workers/api/storage/commit.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { withBounds } from "../../workers/api/storage/limits.ts";
import { purgeExpired } from "../../workers/api/storage/retention.ts";
import { PAYMENTS_OF_A_YOUNG_ACCOUNT } from "../../workers/contract/limits.ts";
import { addUser, d1, servicesOf } from "./support/context.ts";

test("notifications are kept for ninety days", async () => {
  const user_id = await addUser("retained");
  const now_ms = Date.now();
  const insert = d1.prepare(
    `INSERT INTO notifications (notification_id, user_id, type, message, path, occasion, created_at)
     VALUES (?1, ?2, 'custom', 'm', '/', ?1, ?3)`,
  );
  for (const days of [89, 91]) {
    await insert.bind(`${days} days`, user_id, new Date(now_ms - days * 86_400_000).toISOString()).run();
  }
  await purgeExpired(d1, openDatabase(d1), now_ms, registry.expiries);
  const { results } = await d1.prepare("SELECT occasion FROM notifications WHERE user_id = ?").bind(user_id).all();
  expect(results).toEqual([{ occasion: "89 days" }]);
});

test("one run deletes the ten thousand oldest rows of a table, and the next one the rest", async () => {
  await d1.prepare("DELETE FROM limited_acts").run();
  const now_ms = Date.now();
  await d1
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10003)
       INSERT INTO limited_acts SELECT 'comment', strftime('%Y-%m-%dT%H:%M:%fZ', ?1, i || ' seconds'), i FROM n`,
    )
    .bind(new Date(now_ms - 20 * 86_400_000).toISOString())
    .run();
  const listActs = async () => (await d1.prepare("SELECT act_id FROM limited_acts ORDER BY acted_at").raw()).flat();
  await purgeExpired(d1, openDatabase(d1), now_ms, registry.expiries);
  expect(await listActs()).toEqual(["10001", "10002", "10003"]);
  await purgeExpired(d1, openDatabase(d1), now_ms, registry.expiries);
  expect(await listActs()).toEqual([]);
});

test("a table that cannot be purged does not stop the others", async () => {
  const now_ms = Date.now();
  const old = new Date(now_ms - 100 * 86_400_000).toISOString();
  await d1.batch([
    d1.prepare("INSERT INTO idempotency_keys VALUES ('scope', 'key', 'hash', 200, 'null', ?)").bind(old),
    d1.prepare("INSERT INTO limited_acts VALUES ('comment', ?, 'old')").bind(old),
    d1.prepare("CREATE TRIGGER broken BEFORE DELETE ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'broken'); END"),
  ]);
  const logged = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(async () => {
    logged.mockRestore();
    await d1.prepare("DROP TRIGGER broken").run();
  });
  await expect(purgeExpired(d1, openDatabase(d1), now_ms, registry.expiries)).rejects.toThrow("broken");
  expect(logged.mock.calls.map(([line]) => JSON.parse(line).purge)).toEqual(["idempotency_keys"]);
  expect(await d1.prepare("SELECT COUNT(*) AS n FROM limited_acts").first("n")).toBe(0);
});

test("limited acts are kept for eight days, but likes and reports permanently", async () => {
  const user_id = await addUser("limited");
  const now_ms = Date.now();
  const daysAgo = (days: number) => new Date(now_ms - days * 86_400_000).toISOString();
  const act = d1.prepare("INSERT INTO limited_acts VALUES ('comment', ?1, ?2)");
  await d1.batch([
    act.bind(daysAgo(7.9), "lately"),
    act.bind(daysAgo(8.1), "before"),
    d1
      .prepare(
        `INSERT INTO reports (report_id, reporter_user_id, subject_type, subject_id, subject_user_id, reason, created_at)
         VALUES ('old', ?1, 'ofuse', 'x', ?1, 'others', ?2)`,
      )
      .bind(user_id, daysAgo(400)),
    d1
      .prepare(
        `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
         VALUES ('old', ?1, 'text', 'x', 'x', 'x', 'published', 'public', ?2, ?2)`,
      )
      .bind(user_id, daysAgo(400)),
    d1.prepare("INSERT INTO event_likes VALUES ('old', 'guest-x', ?)").bind(daysAgo(400)),
  ]);
  await purgeExpired(d1, openDatabase(d1), now_ms, registry.expiries);
  const { results } = await d1.prepare("SELECT act_id FROM limited_acts").all();
  expect(results).toEqual([{ act_id: "lately" }]);
  expect(await d1.prepare("SELECT COUNT(*) AS n FROM reports").first("n")).toBe(1);
  expect(await d1.prepare("SELECT COUNT(*) AS n FROM event_likes").first("n")).toBe(1);
});

test("an act is kept longer than the window of any limit that counts it", () => {
  const expires = registry.expiries.find(({ table }) => table === "limited_acts")?.expires;
  const windows_ms = domains.flatMap(({ limits = [] }) => limits.map(({ window_ms }) => window_ms));
  expect(windows_ms.length).toBeGreaterThan(20);
  expect(Math.max(...windows_ms)).toBeLessThan((expires?.days ?? 0) * 86_400_000);
});

test("a young account's payments of six days ago still count after expired rows are deleted", async () => {
  const now_ms = Date.now();
  const user_id = await addUser("young_payer");
  await d1
    .prepare("UPDATE users SET created_at = ?")
    .bind(new Date(now_ms - 6.5 * 86_400_000).toISOString())
    .run();
  const database = openDatabase(d1);
  const begin = (at_ms: number) => {
    const context = { d1, database, now_ms: at_ms, idempotency: null };
    return commit(context, withBounds({ statements: [] }, countPayment(context, user_id)));
  };
  for (let times = 0; times < PAYMENTS_OF_A_YOUNG_ACCOUNT; times++) await begin(now_ms - 6 * 86_400_000);
  await purgeExpired(d1, database, now_ms, registry.expiries);
  await expect(begin(now_ms)).rejects.toMatchObject({ code: "payment_limit_reached" });
});

test("visits are kept for ninety days, and their count permanently", async () => {
  const user_id = await addUser("visited");
  const now_ms = Date.now();
  const daysAgo = (days: number) => new Date(now_ms - days * 86_400_000).toISOString();
  await d1
    .prepare(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
       VALUES ('e', ?, 'blog', 'x', 'x', 'x', 'published', 'public', ?2, ?2)`,
    )
    .bind(user_id, daysAgo(100))
    .run();
  for (const days of [1, 89, 91]) {
    await d1.prepare("INSERT INTO event_visits VALUES ('e', ?, ?)").bind(`browser ${days}`, daysAgo(days)).run();
  }
  await purgeExpired(d1, openDatabase(d1), now_ms, registry.expiries);
  const { results } = await d1.prepare("SELECT visit_id FROM event_visits ORDER BY visit_id").all();
  expect(results).toEqual([{ visit_id: "browser 1" }, { visit_id: "browser 89" }]);
  expect(await d1.prepare("SELECT visits_count FROM event_counts").first()).toEqual({ visits_count: 3 });
});

test("the words of a report and of an appeal are kept for a year after the operator's decision", async () => {
  const user_id = await addUser("complaining");
  const now_ms = Date.now();
  const daysAgo = (days: number) => new Date(now_ms - days * 86_400_000).toISOString();
  for (const [id, days] of [
    ["old", 366],
    ["new", 364],
    ["open", null],
  ] as const) {
    const at = days === null ? null : daysAgo(days);
    await d1
      .prepare(
        `INSERT INTO reports (report_id, reporter_user_id, subject_type, subject_id, reason, detail, processing_status,
           decision, decided_at, created_at)
         VALUES ('words ' || ?1, ?2, 'event', ?1, 'others', 'ひどい', iif(?3 IS NULL, 'processing', 'completed'),
           iif(?3 IS NULL, NULL, 'kept'), ?3, ?4)`,
      )
      .bind(id, user_id, at, daysAgo(400))
      .run();
    await d1
      .prepare(
        `INSERT INTO removals (removal_id, subject_type, subject_id, owner_user_id, former, removed_at, appeal, appealed_at,
           appeal_decision, answered_at)
         VALUES (?1, 'event', ?1, ?2, '', ?4, '誤解です', ?4, iif(?3 IS NULL, NULL, 'refused'), ?3)`,
      )
      .bind(id, user_id, at, daysAgo(400))
      .run();
  }
  await deleteOldWords(servicesOf({ clock: { now: () => now_ms } }));
  const wordsOf = async (sql: string) => (await d1.prepare(sql).bind(user_id).raw()).map(([words]) => words);
  expect(await wordsOf("SELECT detail FROM reports WHERE reporter_user_id = ? ORDER BY subject_id")).toEqual([
    "ひどい",
    "",
    "ひどい",
  ]);
  expect(await wordsOf("SELECT appeal FROM removals WHERE owner_user_id = ? ORDER BY removal_id")).toEqual([
    "誤解です",
    APPEAL_WITHOUT_WORDS,
    "誤解です",
  ]);
});
