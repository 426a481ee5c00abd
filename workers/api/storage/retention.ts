import { type RawBuilder, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { runBatch } from "../../storage/commit.ts";
import type { Database } from "./database.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Keys are kept long enough for any retry a person or a browser would make. */
const IDEMPOTENCY_DAYS = 2;
const OUTBOX_DAYS = 7;
/** Twice the longest time that anything is counted over. */
const LIMITED_ACT_DAYS = 2;
/** Source: decisions, "Notifications and mail". */
const NOTIFICATION_DAYS = 90;
/** Longer than any token or session of an account that left could be shown. */
const LEFT_IDENTITY_DAYS = 90;
/** A browser that comes back later is counted anew; what was counted stays. */
const VISIT_DAYS = 90;

/**
 * The moment so many days ago, as SQL: by the worker's clock and by the database's. What is deleted because one of them had jumped
 * ahead would not come back with the clock.
 */
export function daysAgo(now_ms: number, days: number): RawBuilder<string> {
  return sql<string>`min(${isoTime(now_ms - days * DAY_MS)}, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`-${days} days`}))`;
}

/** Deletes what has served its time. Run by the clock; safe to run at any moment. */
export async function purgeExpired(d1: D1Database, database: Database, now_ms: number): Promise<void> {
  const before = (days: number) => daysAgo(now_ms, days);
  await runBatch(d1, [
    database.deleteFrom("idempotency_keys").where("created_at", "<", before(IDEMPOTENCY_DAYS)),
    database.deleteFrom("outbox").where("processed_at", "<", before(OUTBOX_DAYS)),
    database.deleteFrom("notifications").where("created_at", "<", before(NOTIFICATION_DAYS)),
    database.deleteFrom("event_visits").where("visited_at", "<", before(VISIT_DAYS)),
    database.deleteFrom("limited_acts").where("acted_at", "<", before(LIMITED_ACT_DAYS)),
    database.deleteFrom("link_id_changes").where("held_until", "<", before(0)),
    database.deleteFrom("left_identities").where("left_at", "<", before(LEFT_IDENTITY_DAYS)),
    database.deleteFrom("intents").where("expires_at", "<", before(0)),
  ]);
}
