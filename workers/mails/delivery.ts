import { isDatabaseOutage } from "../kernel/database-outage.ts";
import { letOthersRun } from "../kernel/heavy-work.ts";
import { newId } from "../kernel/ids.ts";
import { isSpent, type QueryCount } from "../storage/query-count.ts";
import {
  type ClaimedMail,
  claimMails,
  endDelivery,
  findSuppressions,
  leaveDelivery,
  type Mails,
  recordOutcome,
  recordSuppressed,
  renewDelivery,
  takeDelivery,
} from "./commands.ts";
import type { MailEnd, MailSettings } from "./deployment.ts";
import { readWords } from "./newsletters.ts";
import { isSuppressed } from "./rules.ts";
import { keptTransport } from "./transports/kept.ts";
import { openResend } from "./transports/resend.ts";
import { openSmtp } from "./transports/smtp.ts";
import type { Transport } from "./transports/transport.ts";

/** Mails claimed at once. A mail that is handed over meanwhile waits for this many. */
const CLAIMED_AT_ONCE = 20;
/** How long all mails wait after a kill. A run renews its lease three times as often, however slow the server is. */
const LEASE_MS = 30_000;

/** The waits before an outcome is recorded again. Together they end before the lease does. */
const RECORD_WAITS_MS = [100, 1000, 5000];

/** What one run works with. A run is one request, or one run of the clock. */
interface Run {
  d1: D1Database;
  db: Mails["db"];
  settings: MailSettings;
  /** The queries of the invocation, which `d1` and `db` count. A mail takes a little more than one. */
  count: QueryCount;
  /** After this time the run claims nothing more. */
  limit_ms: number;
}

/**
 * Sends the mails that are due, the longest waiting first, at the pace of the settings. Only one run delivers at a time;
 * a second returns at once, and its mails are sent by the first.
 */
export async function deliverDue({ d1, db, settings, count, limit_ms }: Run): Promise<void> {
  const { end } = settings;
  if (!end) return;
  const run_id = newId(Date.now());
  const began_ms = Date.now();
  const at = (): Mails => ({ d1, db, now_ms: Date.now() });
  const first_ms = await takeDelivery(at(), run_id, Date.now() + LEASE_MS);
  if (first_ms === null) return;
  let is_lost = false;
  const renew = async () => {
    is_lost ||= !(await renewDelivery(at(), run_id, Date.now() + LEASE_MS));
  };
  // A database that is away for a moment costs one renewal.
  const renewing = setInterval(() => void renew().catch(() => {}), LEASE_MS / 3);
  const transport = openTransport(end, settings);
  const pace = new Pace(end.kind === "kept" ? Number.POSITIVE_INFINITY : settings.mails_per_second, first_ms);
  const isOver = () => is_lost || isSpent(count) || Math.max(Date.now(), pace.next_ms) - began_ms > limit_ms;
  try {
    while (!isOver()) {
      const claimed = await readWords(at(), await claimMails(at(), run_id, CLAIMED_AT_ONCE));
      if (claimed.length === 0) {
        if (await endDelivery(at(), run_id, pace.next_ms)) return;
        // A mail has become due, or another run delivers.
        await renew();
        continue;
      }
      if (!(await sendMails(at, claimed, { transport, pace, isOver, keeps_words: end.kind === "kept" }))) break;
    }
  } finally {
    clearInterval(renewing);
    transport.close();
    await leaveDelivery(at(), run_id, pace.next_ms);
  }
}

function openTransport(end: NonNullable<MailEnd>, { from }: MailSettings): Transport {
  if (end.kind === "smtp") return openSmtp(end, from);
  return end.kind === "resend" ? openResend(end, from) : keptTransport;
}

/** The number of mails without a wait after which the run lets others run. */
const LATE_OF_A_TURN = 5;

/** The pace of the whole site: one run continues where another ended. */
class Pace {
  /** When the next mail may leave. */
  next_ms: number;
  readonly #gap_ms: number;
  /** How many mails did not have to wait. */
  #late = 0;

  constructor(mails_per_second: number, next_ms: number) {
    this.#gap_ms = 1000 / mails_per_second;
    // A later moment was written while the clock was ahead.
    this.next_ms = Math.min(next_ms, Date.now() + this.#gap_ms);
  }

  /** Waits until a mail may leave. After a slow mail the pace stays the same. */
  async wait(): Promise<void> {
    const now_ms = Date.now();
    const wait_ms = Math.min(this.next_ms - now_ms, this.#gap_ms);
    this.next_ms = now_ms + Math.max(0, wait_ms) + this.#gap_ms;
    if (wait_ms > 0) await new Promise((resolve) => setTimeout(resolve, wait_ms));
    else if (++this.#late % LATE_OF_A_TURN === 0) await letOthersRun();
  }
}

interface Sending {
  transport: Transport;
  pace: Pace;
  isOver: () => boolean;
  keeps_words: boolean;
}

/**
 * Sends claimed mails one after the other, and records each outcome before the next mail. Returns whether the run may go on: not when
 * the time is over or the server cannot be reached.
 */
async function sendMails(
  at: () => Mails,
  claimed: readonly ClaimedMail[],
  { transport, pace, isOver, keeps_words }: Sending,
): Promise<boolean> {
  const suppressions = await findSuppressions(at(), claimed);
  for (const mail of claimed) {
    if (isOver()) return false;
    if (mail.cancellation !== null || isSuppressed(mail.kind, suppressions.get(mail.recipient_hash) ?? [])) {
      await recordSuppressed(at(), mail);
      continue;
    }
    await pace.wait();
    const outcome = await transport.send(mail);
    await recordSurely(() => recordOutcome(at(), mail, outcome, keeps_words));
    if (outcome.kind === "deferred" && outcome.is_general) return false;
  }
  return true;
}

/**
 * Records an outcome again after an error of the database that passes: a mail without a record is sent twice. Recording twice
 * changes nothing.
 */
async function recordSurely(record: () => Promise<void>): Promise<void> {
  for (const wait_ms of RECORD_WAITS_MS) {
    try {
      return await record();
    } catch (error) {
      if (!isDatabaseOutage(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait_ms));
    }
  }
  await record();
}
