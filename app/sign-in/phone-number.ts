import { toNormalForm } from "../../workers/contract/normal-form.ts";
import { dropUnseen } from "../../workers/contract/visible-text.ts";

/** Matches spaces, brackets, and the hyphens, dashes and minus signs that phones and people write in numbers. */
const SEPARATORS = /[\s\-‐-―−ー－().（）]/g;
/** Matches Japanese mobile numbers as dialled in Japan. */
const JAPANESE_MOBILE = /^0([6-9]0\d{8})$/;
const INTERNATIONAL = /^\+[1-9]\d{7,14}$/;

/**
 * Converts a phone number as people write or copy it to E.164 (`+819012345678`). Returns null for other texts, and for Japanese
 * landlines, which cannot receive SMS.
 */
export function toE164(typed: string): string | null {
  const digits = toNormalForm(dropUnseen(typed), "NFKC").replace(SEPARATORS, "");
  const [, japanese] = JAPANESE_MOBILE.exec(digits) ?? [];
  const number = japanese ? `+81${japanese}` : digits.replace(/^\+810/, "+81");
  return INTERNATIONAL.test(number) ? number : null;
}

/** Formats a number for people: `090-1234-5678` for Japan, the last digits of a masked number, otherwise E.164. */
export function readablePhoneNumber(e164: string): string {
  const [, shown] = /\*(\d+)$/.exec(e164) ?? [];
  if (shown) return `末尾${shown}の電話番号`;
  const [, area, middle, last] = /^\+81(\d\d)(\d{4})(\d{4})$/.exec(e164) ?? [];
  return area ? `0${area}-${middle}-${last}` : e164;
}
