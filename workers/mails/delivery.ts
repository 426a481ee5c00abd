import { newId } from "../kernel/ids.ts";
import {
  type ClaimedMail,
  claimMails,
  endDelivery,
  findSuppressions,
  leaveDelivery,
  type Mails,
  recordOutcome,
  recordSuppressed,
  releaseMails,
  takeDelivery,
} from "./commands.ts";
import type { MailEnd, MailSettings } from "./deployment.ts";
import { readWords } from "./newsletters.ts";
import { isSuppressed } from "./rules.ts";
import { keptTransport } from "./transports/kept.ts";
import { openResend } from "./transports/resend.ts";
import { openSmtp } from "./transports/smtp.ts";
import type { Transport } from "./transports/transport.ts";

/** Mails claimed at once. A killed run delays this many. */
const CLAIMED_AT_ONCE = 20;
/** The longest time between two renewals of a run's claims: one mail that waits for every answer. */
const CLAIM_MS = 5 * 60 * 1000;

/** Where a run stands: one request or one run of the clock. */
interface Run {
  d1: D1Database;
  db: Mails["db"];
  settings: MailSettings;
  /** After this time the run claims nothing more. */
  limit_ms: number;
}

/**
 * Sends the mails that are due, the longest waiting first, at the pace of the settings. Only one run delivers at a time;
 * a second returns at once, and its mails are sent by the first.
 */
export async function deliverDue({ d1, db, settings, limit_ms }: Run): Promise<void> {
  const { end } = settings;
  if (!end) return;
  const run_id = newId(Date.now());
  const began_ms = Date.now();
  const at = (): Mails => ({ d1, db, now_ms: Date.now() });
  if (!(await takeDelivery(at(), run_id, Date.now() + CLAIM_MS))) return;
  const transport = openTransport(end, settings);
  const pace = paceOf(end.kind === "kept" ? null : settings.mails_per_second);
  try {
    for (;;) {
      const claimed = await readWords(at(), await claimMails(at(), CLAIMED_AT_ONCE, Date.now() + CLAIM_MS));
      if (claimed.length === 0) {
        if (await endDelivery(at(), run_id)) return;
        continue;
      }
      const is_over = () => Date.now() - began_ms > limit_ms;
      const left = await sendMails(at, claimed, { transport, pace, is_over, keeps_words: end.kind === "kept" });
      if (left === null) {
        await takeDelivery(at(), run_id, Date.now() + CLAIM_MS);
        continue;
      }
      await releaseMails(at(), left);
      break;
    }
  } finally {
    transport.close();
    await leaveDelivery(at(), run_id);
  }
}

function openTransport(end: NonNullable<MailEnd>, { from }: MailSettings): Transport {
  if (end.kind === "smtp") return openSmtp(end, from);
  return end.kind === "resend" ? openResend(end, from) : keptTransport;
}

/** Returns a function that waits until the next mail may leave. */
function paceOf(mails_per_second: number | null): () => Promise<void> {
  if (mails_per_second === null) return async () => {};
  let next_ms = 0;
  return async () => {
    const now_ms = Date.now();
    const wait_ms = next_ms - now_ms;
    next_ms = Math.max(now_ms, next_ms) + 1000 / mails_per_second;
    if (wait_ms > 0) await new Promise((resolve) => setTimeout(resolve, wait_ms));
  };
}

interface Sending {
  transport: Transport;
  pace: () => Promise<void>;
  is_over: () => boolean;
  keeps_words: boolean;
}

/**
 * Sends claimed mails one after the other, and records each outcome before the next mail. Returns null, or the mails
 * that are left when the time is over or the server cannot be reached.
 */
async function sendMails(
  at: () => Mails,
  claimed: readonly ClaimedMail[],
  { transport, pace, is_over, keeps_words }: Sending,
): Promise<ClaimedMail[] | null> {
  const suppressions = await findSuppressions(at(), claimed);
  for (const [index, mail] of claimed.entries()) {
    if (is_over()) return claimed.slice(index);
    if (isSuppressed(mail.kind, suppressions.get(mail.recipient_hash) ?? [])) {
      await recordSuppressed(at(), mail);
      continue;
    }
    await pace();
    const outcome = await transport.send(mail);
    await recordOutcome(at(), mail, outcome, keeps_words);
    if (outcome.kind === "deferred" && outcome.is_general) return claimed.slice(index + 1);
  }
  return null;
}
