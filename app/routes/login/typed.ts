import * as z from "zod";
import { PASSWORD_BYTES } from "../../../workers/contract/bounds.ts";
import { toNormalForm } from "../../../workers/contract/normal-form.ts";
import { dropUnseen } from "../../../workers/contract/visible-text.ts";
import { toE164 } from "../../sign-in/phone-number.ts";

/** The schemas of what a person types to sign in. */

/**
 * An existing password, as typed. The only check is a maximum length, because hashing a huge text is expensive. No
 * accepted password has more characters than {@link PASSWORD_BYTES}.
 */
export const typedPassword = z
  .string({ error: "パスワードを入力してください。" })
  .max(PASSWORD_BYTES, "パスワードが長すぎます。");

/** A code of six digits. Removes spaces and hyphens, with which phones and apps group them. */
export const oneTimeCode = z
  .string({ error: "コードを入力してください。" })
  .overwrite((typed) => toNormalForm(dropUnseen(typed), "NFKC").replace(/[\s-]/g, ""))
  .regex(/^\d{6}$/, "6桁の数字を入力してください。");

/** A recovery code, with or without hyphens. */
export const recoveryCode = z
  .string({ error: "リカバリーコードを入力してください。" })
  .max(64, "リカバリーコードを正しく入力してください。");

/** A phone number, converted to E.164. */
export const phoneNumber = z
  .string({ error: "電話番号を入力してください。" })
  .max(40, "電話番号を正しく入力してください。")
  .transform((typed, context) => {
    const number = toE164(typed);
    if (number) return number;
    context.addIssue({ code: "custom", message: "SMSを受け取れる電話番号を入力してください。" });
    return z.NEVER;
  });
