import { type CompiledQuery, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import type { FigureMeasure } from "../storage/database.ts";
import type { Reaction, ReactionContext } from "../storage/outbox.ts";
import { HOSTS_OF_A_DAY, OTHER_HOSTS } from "./rules.ts";

export interface FigureChange {
  user_id: string;
  measure: FigureMeasure;
  subject: string;
  day: string;
  count: number;
  amount: number;
}

/**
 * Returns the statement that adds a change to the figures of its day and month. A row of the outbox changes a measure once,
 * however often it is dispatched; a trigger adds the change up. Nothing is counted for a person who has left meanwhile.
 */
function countStatement({ database, outbox_id, now_ms }: ReactionContext, change: FigureChange): CompiledQuery {
  const { user_id, measure, subject, day, count, amount } = change;
  const counted =
    measure === "referrers"
      ? sql`iif(EXISTS (SELECT 1 FROM creator_figures WHERE user_id = ${user_id} AND measure = 'referrers'
            AND grain = 'day' AND period = ${day} AND subject = ${subject})
          OR (SELECT COUNT(*) FROM creator_figures WHERE user_id = ${user_id} AND measure = 'referrers'
            AND grain = 'day' AND period = ${day}) < ${sql.lit(HOSTS_OF_A_DAY)}, ${subject}, ${sql.lit(OTHER_HOSTS)})`
      : sql`${subject}`;
  return sql`INSERT INTO figure_changes (outbox_id, measure, user_id, subject, day, count, amount, counted_at)
    SELECT ${outbox_id}, ${measure}, ${user_id}, ${counted}, ${day}, ${count}, ${amount}, ${isoTime(now_ms)}
    FROM users WHERE user_id = ${user_id} AND left_at IS NULL
    ON CONFLICT DO NOTHING`.compile(database);
}

export const countFigure: Reaction<"figure_changed"> = async ({ payload }, reacting) => [
  countStatement(reacting, payload),
];

/** Counts a first visit for its creator, its post and the host that led there. */
export const countVisit: Reaction<"event_visited"> = async ({ payload }, reacting) => {
  const { user_id, event_id, host, day } = payload;
  const measures: [FigureMeasure, string][] = [
    ["reads", ""],
    ["post_reads", event_id],
    ["referrers", host],
  ];
  return measures.map(([measure, subject]) =>
    countStatement(reacting, { user_id, measure, subject, day, count: 1, amount: 0 }),
  );
};
