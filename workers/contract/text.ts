import * as z from "zod";
import { PASSWORD_BYTES, PASSWORD_GRAPHEMES } from "./bounds.ts";
import { countBytes, countGraphemes } from "./graphemes.ts";
import { groupDigits } from "./group-digits.ts";
import { toNormalForm } from "./normal-form.ts";
import { dropUnseen, dropUnshowable, hasHiddenCharacters, hiddenRefusal, isVisible, RETYPE } from "./visible-text.ts";

/** Control characters that no text may hold. Line feed and tab are allowed where line breaks are. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
const LINE_BREAKS = /[\n\t]/;

export interface TextBounds {
  /** The field's name as the person sees it. Each message begins with it. */
  label: string;
  max: number;
  min?: number;
  /** Bytes in UTF-8. The default is 4 for each grapheme, and at least 1 kB. */
  max_bytes?: number;
  /** Whether line breaks are allowed. All {@link LINE_ENDS} then become line feeds. */
  lines?: boolean;
  /** Whether blanks at both ends are removed. A run inside a longer text keeps them. */
  trim?: boolean;
  /**
   * Whether other people's lists and sentences show the text, as they do a title. It then loses characters that most
   * devices cannot show, and must not hold invisible ones.
   */
  is_label?: boolean;
}

/** Line breaks besides a line feed, also in slides, in text of mainframes and in Unicode. */
export const LINE_ENDS = /\r\n?|[\u000b\u000c\u0085\u2028\u2029]/g;

const tooManyBytes = (label: string) => `${label}のデータが大きすぎます。絵文字や飾り文字を減らしてください。`;

/** Whether a text of too many bytes has too many graphemes too. Counts no more than it takes to know that of plain words. */
const hasManyGraphemes = (text: string, max: number): boolean => countGraphemes(text.slice(0, 2 * max + 2)) > max;

/**
 * A text that a person wrote: normalised, bounded in graphemes and bytes, free of control characters and lone
 * surrogates. Messages are Japanese sentences for the field. Source: product decisions, "Bounds".
 */
export function text(bounds: TextBounds) {
  const { label, max, min = 1, lines = false, trim = true, is_label = false } = bounds;
  const max_bytes = bounds.max_bytes ?? Math.max(1024, max * 4);
  const normalise = (typed: string) => {
    const shown = is_label ? dropUnshowable(typed) : typed;
    const normal = toNormalForm(shown.replace(lines ? LINE_ENDS : /\r\n?/g, "\n"));
    if (!trim) return normal;
    // An optional text of invisible characters alone is an empty one.
    return min === 0 && !isVisible(normal) ? "" : normal.trim();
  };
  return z
    .string({ error: `${label}を入力してください。` })
    .overwrite(normalise)
    .superRefine((value, context) => {
      const addIssue = (message: string) => context.addIssue({ code: "custom", message });
      if (!value.isWellFormed() || CONTROLS.test(value) || (!lines && LINE_BREAKS.test(value))) {
        return addIssue(`${label}に使えない文字が含まれています。${RETYPE}`);
      }
      if (min > 0 && !isVisible(value)) return addIssue(`${label}を入力してください。`);
      if (is_label && hasHiddenCharacters(value)) {
        return addIssue(hiddenRefusal(label));
      }
      const asked = `${label}は${groupDigits(max)}文字以内で入力してください`;
      if (countBytes(value) > max_bytes)
        return addIssue(hasManyGraphemes(value, max) ? `${asked}。` : tooManyBytes(label));
      const length = countGraphemes(value);
      if (length > max) return addIssue(`${asked}（現在${groupDigits(length)}文字）。`);
      if (length < min) return addIssue(`${label}は${min}文字以上で入力してください。`);
    })
    .meta({
      description: `${label}（${min}〜${groupDigits(max)}文字、UTF-8で${groupDigits(max_bytes)}バイトまで${lines ? "、改行可" : ""}）`,
      // JSON Schema cannot state our bounds: its lengths count code points as sent, not graphemes or bytes of the
      // trimmed text.
      ...(min > 0 && { minLength: min }),
      "x-max-graphemes": max,
      "x-max-bytes": max_bytes,
    });
}

export type PasswordFault = "characters" | "too_short" | "too_long" | "too_many_bytes";

/**
 * Returns why a text cannot be a new password, or null. Forms and the identity provider share this check: otherwise a page
 * would refuse what the provider accepts. Source: product decisions, "Bounds".
 */
export function findPasswordFault(password: string): PasswordFault | null {
  const { min, max } = PASSWORD_GRAPHEMES;
  if (!password.isWellFormed() || /\p{Cc}/u.test(password)) return "characters";
  if (countBytes(password) > PASSWORD_BYTES) return hasManyGraphemes(password, max) ? "too_long" : "too_many_bytes";
  const length = countGraphemes(password);
  return length < min ? "too_short" : length > max ? "too_long" : null;
}

const passwordSentences: Record<PasswordFault, string> = {
  characters: `パスワードに使えない文字が含まれています。${RETYPE}`,
  too_short: `パスワードは${PASSWORD_GRAPHEMES.min}文字以上で入力してください。`,
  too_long: `パスワードは${PASSWORD_GRAPHEMES.max}文字以内で入力してください。`,
  too_many_bytes: tooManyBytes("パスワード"),
};

/**
 * A new password. It is never changed, not even trimmed: the person must be able to type the same at every later
 * sign-in.
 */
export const newPassword = z.string({ error: "パスワードを入力してください。" }).superRefine((value, context) => {
  const fault = findPasswordFault(value);
  if (fault) context.addIssue({ code: "custom", message: passwordSentences[fault] });
});

/**
 * Matches e-mail addresses. It is looser than RFC 5322 for old addresses of Japanese carriers ("a..b.@docomo.ne.jp"
 * exists), and stricter for characters that could inject a header or a link. Forms and the identity provider share it.
 */
export const EMAIL_PATTERN =
  /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@[^\s@<>()[\]\\,;:"\p{C}.]+(\.[^\s@<>()[\]\\,;:"\p{C}.]+)+$/u;
export const EMAIL_BYTES = 254;

/** Returns the text with letters, digits and signs of full width ("ａ＠ｂ．ｊｐ") in ASCII. */
const toHalfWidth = (typed: string): string =>
  typed.replace(/[！-～]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0));

/**
 * Returns an address or a name in addresses as its typist means it. Telephones add a space behind what they fill in, a
 * keyboard set to Japanese types characters of full width, and copied text may have invisible ones around it.
 */
export const cleanAddress = (typed: string): string => toHalfWidth(dropUnseen(typed)).trim();

/**
 * An e-mail address as typed into a form. Refuses other letters outside ASCII, which the provider accepts of another service:
 * people type them by mistake.
 */
export const emailAddress = z
  .string({ error: "メールアドレスを入力してください。" })
  .overwrite(cleanAddress)
  .max(EMAIL_BYTES, "メールアドレスが長すぎます。")
  .refine((typed) => /^[ -~]*$/.test(typed), "メールアドレスは、半角の英数字と記号で入力してください。")
  .pipe(z.email({ pattern: EMAIL_PATTERN, error: "メールアドレスを正しく入力してください。" }));
