import { type CompiledQuery, sql } from "kysely";
import { Problem } from "../../kernel/problem.ts";
import type { Domain } from "../domain.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";
import { continuationStatement } from "../storage/outbox.ts";
import type { Leaver } from "../storage/personal-data.ts";

/** How many rows of each table one batch deletes. Triggers may change other rows for each of them. */
export const DELETED_AT_ONCE = 300;

/**
 * Deletes the caller's account. In one batch, every domain adds its departure (the person becomes 「退会したユーザー」,
 * everything they published is hidden, their tokens are rejected) and erases a limited number of rows of each table.
 * The outbox erases the rest. Throws `account_left`, `account_has_subscribers`, `account_has_balance`.
 */
export async function unsubscribe(context: RequestContext, domains: readonly Domain[]): Promise<null> {
  const { database, now_ms, caller } = context;
  const user_id = memberId(context);
  if (!caller) throw new Problem("unauthenticated");
  const leaver = { user_id, identity_id: caller.claims.sub };
  const departures = domains.flatMap(({ departure }) => (departure ? [departure(leaver, now_ms)] : []));
  const change = {
    preconditions: departures.flatMap(({ preconditions = [] }) => preconditions),
    statements: [
      ...departures.flatMap(({ statements = [] }) => statements.map((statement) => statement.compile(database))),
      ...erasureStatements(database, domains, leaver),
    ],
    announcements: [{ event: { kind: "account_left" as const, payload: { ...leaver, round: 1 } } }],
  };
  return commitAnswer(context, change, null);
}

/**
 * Lists the erasures of all domains. Domains further right come first, because their rows depend on rows of domains
 * further left (docs/architecture.md).
 */
export const erasuresOf = (domains: readonly Domain[]) => domains.toReversed().flatMap(({ erasures = [] }) => erasures);

/** Returns the statements that erase the leaver's next rows of each table. */
export function erasureStatements(database: Database, domains: readonly Domain[], leaver: Leaver): CompiledQuery[] {
  const limit = sql`LIMIT ${DELETED_AT_ONCE}`;
  return erasuresOf(domains).map(({ erase }) => erase(leaver, limit).compile(database));
}

/**
 * Returns the statement that enqueues the next round of erasing. Its outbox id is fixed, so that repeating it writes
 * one row.
 */
export function nextRoundStatement(database: Database, leaver: Leaver, round: number, now_ms: number): CompiledQuery {
  const event = { kind: "account_left" as const, payload: { ...leaver, round: round + 1 } };
  return continuationStatement(database, `left-${leaver.user_id}-${round + 1}`, event, now_ms);
}
