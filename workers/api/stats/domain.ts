import type { Domain } from "../domain.ts";
import { erasures, exports } from "./personal-data.ts";
import { countFigure, countVisit, type FigureChange } from "./reactions.ts";
import { statsRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** A figure of a creator changed. Triggers write this row (0055_creator_figures.sql). */
    figure_changed: FigureChange;
    /** A browser visited a post for the first time. The row does not say which browser. A trigger writes it. */
    event_visited: { user_id: string; event_id: string; host: string; day: string };
  }
}

export const domain: Domain = {
  endpoints: statsRoutes,
  tables: {
    totals: {
      people: [],
      expires: "no: one row for each total",
      exported: "no: counts of everybody's rows",
      erased: "no: triggers subtract what is deleted",
      on_pages: ["UPDATE"],
    },
    creator_figures: {
      people: ["user_id"],
      expires: "no: until the creator leaves",
      exported: { parts: ["figures"], except: ["user_id"] },
      erased: true,
      on_pages: [],
    },
    figure_changes: {
      people: ["user_id"],
      // Twice as long as the outbox keeps a processed row.
      expires: { since: "counted_at", days: 14 },
      exported: "no: the figures are their sums",
      erased: true,
      on_pages: [],
    },
    supporters: {
      people: ["user_id", "supporter_user_id"],
      expires: "no: until the creator or the supporter leaves",
      exported:
        "no: the letters, comments and plans are exported, and a creator must not learn who wrote without a name",
      erased: true,
      on_pages: [],
    },
    plan_changes: {
      people: ["user_id"],
      expires: "no: until the creator leaves",
      exported: "no: the figures are their sums",
      erased: true,
      on_pages: [],
    },
  },
  kinds_of_triggers: ["figure_changed", "event_visited"],
  kinds_at_once: ["figure_changed", "event_visited"],
  reactions: { figure_changed: countFigure, event_visited: countVisit },
  erasures,
  exports,
};
