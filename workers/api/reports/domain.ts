import type { Domain } from "../domain.ts";
import { deleteOldWords } from "./commands.ts";
import { exports } from "./personal-data.ts";
import { reportRoutes } from "./routes.ts";
import { noticesOfDecision, noticesOfRefusal, noticesOfRemoval, noticesOfReturn } from "./rules.ts";

interface RemovalEvent {
  removal_id: string;
  subject_type: "event" | "event_comment" | "ofuse" | "radio_comment";
  /** Null for a guest's letter. */
  owner_user_id: string | null;
  /** The operator's words to the owner, or null. */
  note: string | null;
}

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
      /** The removal that the decision made or found; null if nothing is taken down. Rows of earlier versions have none. */
      removal_id?: string | null;
    };
    /** An operator took something down, with or without a report. */
    subject_removed: RemovalEvent;
    /** An operator gave back what was taken down; `is_appeal` when the owner had asked for it. */
    subject_given_back: RemovalEvent & { is_appeal: boolean };
    appeal_refused: RemovalEvent;
  }
}

export const domain: Domain = {
  endpoints: reportRoutes,
  tables: {
    reports: {
      people: ["reporter_user_id", "subject_user_id"],
      expires: "no: a person can report a subject only once; its words go a year after the decision",
      exported: {
        parts: ["reports"],
        except: ["report_id", "reporter_user_id", "subject_user_id", "decision_note", "decided_at"],
      },
      erased: "no: the operator may still have to decide it",
      on_pages: [],
    },
    removals: {
      people: ["owner_user_id"],
      expires: "no: an operator can give the subject back at any time; an appeal's words go a year after the answer",
      exported: { parts: ["reports"], except: ["owner_user_id", "former"] },
      erased: "no: the operator may still have to answer the appeal",
      on_pages: [],
    },
  },
  upkeep: { deleteOldWords },
  notices: {
    report_decided: noticesOfDecision,
    subject_removed: noticesOfRemoval,
    subject_given_back: noticesOfReturn,
    appeal_refused: noticesOfRefusal,
  },
  exports,
};
