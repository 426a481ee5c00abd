import type { Selectable } from "kysely";
import type Stripe from "stripe";
import type { LetterAppearanceId, StampId } from "../../contract/letter-choices.ts";
import type { MailLanguage } from "../../contract/notifications.ts";
import type { Tables } from "../storage/database.ts";

export type Checkout = Selectable<Tables["checkouts"]>;

/** What `checkouts.words` has. The choices of a letter mean nothing for a comment. */
export interface PaidWords {
  /** What the gateway's page calls it. Our own pages make it of the creator's present name. */
  title: string;
  message: string;
  stamp_id: StampId | null;
  letter_appearance_id: LetterAppearanceId | null;
  donation_campaign_id: string | null;
  /** How much of what the creator would receive the campaign gets. */
  donation_percent: number | null;
  is_public: boolean;
  is_anonymous: boolean;
  sender_name: string;
}

/** The choices of a letter that has none of them, and of a comment. */
export const NO_CHOICES = {
  stamp_id: null,
  letter_appearance_id: null,
  donation_campaign_id: null,
  donation_percent: null,
  is_anonymous: false,
  sender_name: "",
} as const;

/** Returns what the payer wrote; null once it was delivered, or forgotten because the payer left. */
export const readWords = ({ words }: Pick<Checkout, "words">): PaidWords | null =>
  words && { ...NO_CHOICES, ...JSON.parse(words) };

/** Whether the words are a fan letter's. Its payment has a kind of its own: spec section 3, "transaction kinds". */
export const isFanLetter = ({ letter_appearance_id }: Pick<PaidWords, "letter_appearance_id">): boolean =>
  letter_appearance_id !== null;

/** Whether the gateway may know more of a payment than its row. */
export const isWaiting = ({ status }: Pick<Checkout, "status">): boolean =>
  status === "open" || status === "processing" || status === "returning";

/** What the gateway says of a checkout session. */
export type SessionState =
  | { status: "open" | "expired" | "failed" }
  | { status: "processing"; voucher_url: string | null; voucher_expires_at_ms: number | null }
  | { status: "paid"; intent: Stripe.PaymentIntent };

/**
 * Reads the state of a session in payment mode, fetched with its payment intent. A session is complete when the payer has
 * finished the gateway's pages: a payment at a shop comes later, or never.
 *
 * @throws Error when the intent was not fetched.
 */
export function readSession({ id, status, payment_status, payment_intent }: Stripe.Checkout.Session): SessionState {
  if (status === "expired") return { status: "expired" };
  if (status !== "complete") return { status: "open" };
  if (typeof payment_intent !== "object" || payment_intent === null) throw new Error(`${id} has no payment intent`);
  if (payment_status === "paid" || payment_intent.status === "succeeded") {
    return { status: "paid", intent: payment_intent };
  }
  if (payment_intent.status !== "requires_action" && payment_intent.status !== "processing")
    return { status: "failed" };
  const voucher = payment_intent.next_action?.konbini_display_details;
  return {
    status: "processing",
    voucher_url: voucher?.hosted_voucher_url ?? null,
    voucher_expires_at_ms: voucher ? voucher.expires_at * 1000 : null,
  };
}

/** Returns what the gateway's page and the receipt call a letter to a person. */
export const titleOfLetter = (name: string, is_fan_letter: boolean): string =>
  `${name}さんへの${is_fan_letter ? "ファンレター" : "ofuse"}`;

/** Returns what a mail calls what was paid for, in each language. */
export const titlesInMails = (name: string, kind: "letter" | "fan_letter" | "comment"): Record<MailLanguage, string> =>
  kind === "comment"
    ? { ja: `${name}さんの投稿へのコメント`, en: `A comment on a post of ${name}` }
    : {
        ja: titleOfLetter(name, kind === "fan_letter"),
        en: `${kind === "fan_letter" ? "A fan letter" : "An ofuse"} for ${name}`,
      };

/** Returns the path of a payment's page. */
export const checkoutPath = (checkout_id: string): string => `/checkout/${checkout_id}`;
