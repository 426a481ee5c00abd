import { type Generated, Kysely } from "kysely";
import { D1Dialect } from "kysely-d1";
import type { ClockRun } from "../../storage/clock-runs.ts";

export type MailState = "queued" | "sending" | "sent" | "failed" | "suppressed";
export type SuppressionReason = "bounce" | "complaint" | "unsubscribed" | "operator";

/** The tables as Kysely types. Times are ISO 8601 texts in UTC. The migrations explain the columns. */
export interface MailTables {
  mails: {
    mail_id: string;
    kind: string;
    recipient: string;
    recipient_hash: string;
    subject: string;
    text: string;
    html: string;
    state: MailState;
    attempts: number;
    next_attempt_at: string;
    answer: string | null;
    created_at: string;
    ended_at: string | null;
    content_id: Generated<string | null>;
    stop_link: Generated<string | null>;
    expires_at: Generated<string | null>;
    retries: Generated<number>;
  };
  newsletter_contents: {
    content_id: string;
    subject: string;
    text: string;
    html: string;
    handed_count: Generated<number>;
    sent_count: Generated<number>;
    bounced_count: Generated<number>;
    is_reported: Generated<number>;
    created_at: string;
    canceled_at: Generated<string | null>;
  };
  suppressions: {
    recipient_hash: string;
    reason: SuppressionReason;
    unreported_address: string | null;
    since: string;
  };
  delivery: { delivery_id: number; run_id: string | null; leased_until: string; next_mail_at: string };
  clock_runs: ClockRun;
}

export type MailDatabase = Kysely<MailTables>;

/** Opens the database for one request or one run. */
export function openMailDatabase(d1: D1Database): MailDatabase {
  return new Kysely<MailTables>({ dialect: new D1Dialect({ database: d1 }) });
}
