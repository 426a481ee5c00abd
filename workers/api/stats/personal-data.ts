import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import { deleteByKey, type Erasure, whereLeaver } from "../storage/personal-data.ts";

export const erasures: Erasure[] = [
  deleteByKey("creator_figures", ["user_id", "measure", "grain", "period", "subject"], whereLeaver("user_id")),
  deleteByKey("figure_changes", ["outbox_id", "measure"], whereLeaver("user_id")),
  deleteByKey("plan_changes", ["change_id"], whereLeaver("user_id")),
  deleteByKey("supporters", ["user_id", "supporter_user_id"], whereLeaver("user_id")),
  deleteByKey("supporters", ["user_id", "supporter_user_id"], whereLeaver("supporter_user_id")),
];

/** Exports the figures of each day. Those of months are their sums. */
export const exports: Domain["exports"] = {
  figures: {
    select(me, after, limit) {
      const [measure = "", period = "", subject = ""] = (after ?? "").split(" ");
      return sql`SELECT measure || ' ' || period || ' ' || subject AS key, json_object('measure', measure, 'grain', grain,
          'period', period, 'subject', subject, 'count', count, 'amount', amount) AS item
        FROM creator_figures WHERE user_id = ${me} AND grain = 'day'
          AND (measure, grain, period, subject) > (${measure}, 'day', ${period}, ${subject})
        ORDER BY measure, grain, period, subject ${limit}`;
    },
  },
};
