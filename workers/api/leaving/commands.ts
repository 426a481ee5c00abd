import { type CompiledQuery, sql } from "kysely";
import { Problem } from "../../kernel/problem.ts";
import type { Domain } from "../domain.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";
import { continuation } from "../storage/outbox.ts";
import type { Leaver } from "../storage/personal-data.ts";

/** Rows of each table that one batch deletes; each may touch others by its triggers. */
export const DELETED_AT_ONCE = 300;

/**
 * Ends the caller's account. In one batch each domain lets them depart (the person becomes 「退会したユーザー」, everything they
 * published goes out of view, their tokens are refused) and erases as many rows of each table as one batch takes; the outbox
 * erases the rest. Throws `account_left`, `account_has_subscribers`.
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
      ...erasureRound(database, domains, leaver),
    ],
    announcements: [{ event: { kind: "account_left" as const, payload: { ...leaver, round: 1 } } }],
  };
  return commitAnswer(context, change, null);
}

/** All erasures: those of domains further right first, because their rows depend on rows of domains further left. */
export const erasuresOf = (domains: readonly Domain[]) => domains.toReversed().flatMap(({ erasures = [] }) => erasures);

/** The statements that erase the next rows of each table. */
export function erasureRound(database: Database, domains: readonly Domain[], leaver: Leaver): CompiledQuery[] {
  const limit = sql`LIMIT ${DELETED_AT_ONCE}`;
  return erasuresOf(domains).map(({ erase }) => erase(leaver, limit).compile(database));
}

/** The statement that writes the row of the next round; the same row however often it is written. */
export function nextRound(database: Database, leaver: Leaver, round: number, now_ms: number): CompiledQuery {
  const event = { kind: "account_left" as const, payload: { ...leaver, round: round + 1 } };
  return continuation(database, `left-${leaver.user_id}-${round + 1}`, event, now_ms);
}
