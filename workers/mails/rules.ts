import { type HandedMail, isSendable } from "../contract/mails.ts";
import type { NotificationTopic } from "../contract/notifications.ts";
import type { SuppressionReason } from "./storage/database.ts";
import { isRequested } from "./words/kinds.ts";
import { NEWSLETTER } from "./words/newsletter.ts";

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;

/** The waits after each failed attempt. Source: RFC 5321, section 4.5.4.1 (give up after four to five days). */
const RETRY_WAITS_MS = [1, 5, 15, 60, 3 * 60, 6 * 60, 12 * 60, 24 * 60, 24 * 60, 24 * 60].map(
  (minutes) => minutes * MINUTE_MS,
);

export const LONGEST_RETRY_WAIT_MS = Math.max(...RETRY_WAITS_MS);

/** Returns the wait before the next attempt; null when this was the last. @param attempts made so far. */
export function retryWaitMs(attempts: number): number | null {
  return RETRY_WAITS_MS[attempts - 1] ?? null;
}

/**
 * How long mails about a moment wait for a server that defers them. A radio may be over after an hour, and the mails worker
 * does not learn of it.
 */
const LIVES_MS: Partial<Record<NotificationTopic, number>> = { radio_started: HOUR_MS };

/** Returns when a mail comes too late; null for a mail that never does. */
export function expiryOf(mail: HandedMail, now_ms: number): number | null {
  const life_ms = mail.kind === "notification" ? LIVES_MS[mail.gaps.topic] : undefined;
  return life_ms === undefined ? null : now_ms + life_ms;
}

/** How long the recipient and the words of a mail are kept, sent or not. Failed mails can be retried so long. */
export const WORDS_MS = 30 * 24 * HOUR_MS;

/** Whether an address with these suppressions gets no mail of this kind. */
export function isSuppressed(kind: string, reasons: readonly SuppressionReason[]): boolean {
  return reasons.some((reason) => {
    // All other mails are about the account or about money, and cannot be unsubscribed.
    if (reason === "unsubscribed") return kind === NEWSLETTER || kind === "notification";
    return reason === "operator" || !isRequested(kind);
  });
}

/** A local part that stands without quotes: letters, digits and signs, with single dots between them (RFC 5322, "dot-atom"). */
const DOT_ATOM = /^[^\s"@<>(),:;\\[\].]+(?:\.[^\s"@<>(),:;\\[\].]+)*$/;

/**
 * Returns an address as an envelope has it. A local part such as `a..b.`, which old addresses of Japanese carriers have,
 * stands in quotes there; strict servers refuse it without. Source: RFC 5321, section 4.1.2.
 */
export function toMailbox(address: string): string {
  const at = address.lastIndexOf("@");
  const local = address.slice(0, at);
  return local.startsWith('"') || DOT_ATOM.test(local) ? address : `"${local}"${address.slice(at)}`;
}

/**
 * Returns a mailbox with its international domain in ASCII ("A-labels"), which every SMTP server takes. A local part has no
 * such form. Source: RFC 5890, section 2.3.2.1; RFC 6531, section 3.2.
 */
export function toAsciiDomain(mailbox: string): string {
  const at = mailbox.lastIndexOf("@") + 1;
  const domain = mailbox.slice(at);
  // These signs would end the host of a URL, or be decoded in it.
  if (isAscii(domain) || /[/\\?#:%]/.test(domain)) return mailbox;
  return mailbox.slice(0, at) + (URL.parse(`http://${domain}`)?.hostname ?? domain);
}

export const isAscii = (text: string): boolean => !/\P{ASCII}/u.test(text);

/** Returns the address that {@link toMailbox} was given, so that a reported mailbox is found under it. */
export function fromMailbox(mailbox: string): string {
  const address = mailbox.replace(/^"([^"\\]+)"(?=@)/, "$1");
  return isSendable(address) ? address : mailbox;
}
