import { GUEST_NAME } from "../../contract/bounds.ts";
import { STAMPS, type StampId } from "../../contract/letter-choices.ts";
import type { OverlayLetter, OverlaySettings } from "../../contract/streaming.ts";
import type { Limit } from "../storage/limits.ts";

/** Limits how often one person makes tokens, changes settings, and sends test letters. */
export const OVERLAY_TOKEN_LIMIT: Limit = { act: "overlay_token", times: 30, window_ms: 60 * 60 * 1000 };
export const OVERLAY_SETTINGS_LIMIT: Limit = { act: "overlay_settings", times: 100, window_ms: 60 * 60 * 1000 };
export const TEST_LETTER_LIMIT: Limit = { act: "test_ofuse", times: 60, window_ms: 10 * 60 * 1000 };
/** Limits how many wrong tokens one address tries. */
export const OVERLAY_GUESS_LIMIT: Limit = { act: "overlay_guess", times: 30, window_ms: 10 * 60 * 1000 };

/** A letter before it is decided what of it is shown. */
export interface ArrivedLetter {
  number: number;
  amount: number;
  message: string;
  stamp_id: StampId | null;
  /** Null for a guest. */
  sender: { name: string; icon_url: string | null } | null;
  guest_name: string | null;
  is_public: boolean;
  is_anonymous: boolean;
  is_test: boolean;
  created_at: string;
}

/** Folds a text for the comparison with NG words. */
type Fold = (text: string) => string;

/** Returns a test that says whether an overlay with these settings shows a letter. It shows every test letter. */
export function createFilter(settings: OverlaySettings, fold: Fold): (letter: ArrivedLetter) => boolean {
  const { shown_letters, min_amount, stamp_ids } = settings;
  // A word of unseen characters alone would be part of every letter.
  const ng_words = settings.ng_words.map(fold).filter((word) => word !== "");
  return (letter) => {
    if (letter.is_test) return true;
    const is_paid = letter.amount > 0;
    if (shown_letters === (is_paid ? "free" : "paid")) return false;
    if (is_paid && letter.amount < min_amount) return false;
    if (stamp_ids.length > 0 && !(letter.stamp_id && stamp_ids.includes(letter.stamp_id))) return false;
    const words = fold(`${letter.message}\n${nameOf(letter) ?? ""}`);
    return !ng_words.some((word) => words.includes(word));
  };
}

/** Returns the name by which a letter names its sender; null for an anonymous one. */
function nameOf({ sender, guest_name, is_public, is_anonymous }: ArrivedLetter): string | null {
  if (is_anonymous) return null;
  // A guest may choose any name. Only the sender of a public letter expects it to be seen.
  return sender?.name ?? (is_public ? guest_name : null) ?? GUEST_NAME;
}

/**
 * Returns what the viewers of a stream see of a letter. Its words and amount are for its receiver, unless its sender made
 * it public. Source: docs/decisions/0045.
 */
export function toOverlayLetter(
  letter: ArrivedLetter,
  { hides_names }: Pick<OverlaySettings, "hides_names">,
): OverlayLetter {
  const { number, amount, message, is_public, is_test, created_at } = letter;
  const is_paid = amount > 0;
  const is_named = !hides_names && !letter.is_anonymous;
  return {
    number,
    is_test,
    is_paid,
    amount: is_paid && is_public ? amount : null,
    message: is_public ? message : null,
    sender_name: is_named ? nameOf(letter) : null,
    icon_url: is_named ? (letter.sender?.icon_url ?? null) : null,
    stamp: STAMPS.find(({ stamp_id }) => stamp_id === letter.stamp_id) ?? null,
    created_at,
  };
}
