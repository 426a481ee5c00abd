/** One sending of a mail. After a failure an operator may order another one. */
export interface Sending {
  mail_id: string;
  /** How often an operator has queued the mail again. */
  retries: number;
}

/** A mail as a transport sends it. */
export interface Outgoing extends Sending {
  recipient: string;
  subject: string;
  text: string;
  html: string;
  /** The newsletter that the mail belongs to; null for other mails. */
  content_id: string | null;
  /** The page to which a POST stops such mails; null for mails that cannot be stopped. */
  stop_link: string | null;
}

/**
 * Returns the headers of an automatic mail, and those by which a mail program stops it with one click. Source: RFC 3834,
 * section 5; RFC 8058, section 3.1.
 */
export function headersOf({ stop_link }: Pick<Outgoing, "stop_link">): Record<string, string> {
  return {
    // Nobody is there to read an automatic answer.
    "Auto-Submitted": "auto-generated",
    "X-Auto-Response-Suppress": "All",
    ...(stop_link !== null && {
      "List-Unsubscribe": `<${stop_link}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }),
  };
}

/** What became of one attempt. */
export type Outcome =
  /** The server has the mail. */
  | { kind: "sent"; answer: string }
  /** Another attempt may succeed. `is_general` when the cause is no property of this mail, such as a lost connection. */
  | { kind: "deferred"; answer: string; is_general: boolean }
  /** No attempt can succeed. `is_bounce` when the address is the cause. */
  | { kind: "refused"; answer: string; is_bounce: boolean };

const MAX_ANSWER_LENGTH = 300;
/** Returns what a server or provider says as operators read it: on one line, cut. */
export const toAnswer = (text: string): string => text.replace(/\p{Cc}+/gu, " ").slice(0, MAX_ANSWER_LENGTH);

/** Sends mails one after the other. Opened for one run of the delivery, and closed after it. */
export interface Transport {
  /** Never throws. */
  send(mail: Outgoing): Promise<Outcome>;
  close(): void;
}
