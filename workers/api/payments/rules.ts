import { SESSION_MINUTES } from "../../contract/limits.ts";
import { isoTime } from "../../kernel/clock.ts";

/** Pure decisions about payments that are open. Source: docs/decisions/0034. */

/** How long an attempt may be without an answer of the gateway: {@link SESSION_MINUTES} leave it room. */
const ATTEMPT_MINUTES = 25;

/** Whether an attempt without an answer of the gateway may not ask for a session any more. */
export const isAttemptOver = (created_at: string, now_ms: number): boolean =>
  Date.parse(created_at) <= now_ms - ATTEMPT_MINUTES * 60_000;

/** Returns when the gateway ends an open session of an attempt that began then. */
export const endOfSession = (created_at: string): string => isoTime(Date.parse(created_at) + SESSION_MINUTES * 60_000);

/*
 * The conditions of a payment, for the gateway's page. The payer orders there, so that page is the last one before the order
 * and must state them. Source: 特定商取引法 第12条の6. Our own pages before it say the same: app/routes/checkout.tsx and
 * app/routes/my/price-facts.tsx.
 *
 * The texts follow from the attempt's row, because a repeated call with the same idempotency key must send the same. Stripe
 * takes 1,200 characters and reads Markdown, which may join lines. So each condition begins with its name.
 */

/** What the texts take from an attempt to pay. */
export interface TermsOf {
  /** When the attempt began. */
  created_at: string;
  /** The full address of {@link TRANSACTIONS_PATH}. */
  transactions_url: string;
}

/** The page with all conditions, 特定商取引法に基づく表記. */
export const TRANSACTIONS_PATH = "/transactions";

/** Adds the conditions that every payment has: until when the page can be used, young people, and where all conditions are. */
export function withCommonTerms({ created_at, transactions_url }: TermsOf, terms: readonly string[]): string {
  const minute = new Intl.DateTimeFormat("ja-JP", { timeZone: "Asia/Tokyo", dateStyle: "medium", timeStyle: "short" });
  const ends = minute.format(Date.parse(endOfSession(created_at)));
  return [
    ...terms,
    `【お申し込みの期限】この画面では、${ends}までお手続きいただけます。過ぎると取り消され、料金はかかりません。`,
    "【18歳未満の方】保護者の方の同意を得てから、お支払いください。",
    `くわしくは[特定商取引法に基づく表記](${transactions_url})をご覧ください。`,
  ].join("\n");
}
