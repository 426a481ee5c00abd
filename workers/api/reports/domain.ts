import type { Domain } from "../domain.ts";
import { exports } from "./personal-data.ts";
import { reportRoutes } from "./routes.ts";
import { noticesOfDecision } from "./rules.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    report_decided: {
      report_id: string;
      reporter_user_id: string;
      subject_type: "event" | "event_comment" | "ofuse" | "radio_comment";
      subject_id: string;
      /** Null for a guest's letter. */
      subject_user_id: string | null;
      decision: "removed" | "kept";
      /** The operator's explanation of the decision, or null. */
      note: string | null;
    };
  }
}

export const domain: Domain = {
  endpoints: reportRoutes,
  tables: {
    reports: {
      people: ["reporter_user_id", "subject_user_id"],
      expires: "no: a person can report a subject only once",
      exported: {
        parts: ["reports"],
        except: ["report_id", "reporter_user_id", "subject_user_id", "decision_note", "decided_at"],
      },
      erased: "no: the operator may still have to decide it",
      on_pages: [],
    },
  },
  notices: { report_decided: noticesOfDecision },
  exports,
};
