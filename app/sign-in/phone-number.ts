/** Hyphens, dashes and minus signs as telephones and people write them, blanks and brackets. */
const SEPARATORS = /[\s\-‐-―−ー－().（）]/g;
/** Numbers that take messages, as they are dialled in Japan. */
const JAPANESE_MOBILE = /^0([6-9]0\d{8})$/;
const INTERNATIONAL = /^\+[1-9]\d{7,14}$/;

/** A telephone number as people write it in E.164 (`+819012345678`); null for what is none that takes messages. */
export function toE164(typed: string): string | null {
  const digits = typed.normalize("NFKC").replace(SEPARATORS, "");
  const [, japanese] = JAPANESE_MOBILE.exec(digits) ?? [];
  const number = japanese ? `+81${japanese}` : digits.replace(/^\+810/, "+81");
  return INTERNATIONAL.test(number) ? number : null;
}

/** As its owner knows it: `090-1234-5678` for a Japanese number, its last digits for a masked one, all others in E.164. */
export function readablePhoneNumber(e164: string): string {
  const [, shown] = /\*(\d+)$/.exec(e164) ?? [];
  if (shown) return `末尾${shown}の電話番号`;
  const [, area, middle, last] = /^\+81(\d\d)(\d{4})(\d{4})$/.exec(e164) ?? [];
  return area ? `0${area}-${middle}-${last}` : e164;
}
