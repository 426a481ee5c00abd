import * as z from "zod";
import { toE164 } from "../../sign-in/phone-number.ts";

/** What is typed to come in, as forms are judged by it on the server. */

/** A password that exists already: only so long that judging it costs nothing. */
export const typedPassword = z.string({ error: "パスワードを入力してください。" }).max(600, "パスワードが長すぎます。");

/** Six digits, however a telephone or an app groups them. */
export const oneTimeCode = z
  .string({ error: "コードを入力してください。" })
  .overwrite((typed) => typed.normalize("NFKC").replace(/[\s-]/g, ""))
  .regex(/^\d{6}$/, "6桁の数字を入力してください。");

/** As it was given, with or without its hyphens. */
export const recoveryCode = z
  .string({ error: "リカバリーコードを入力してください。" })
  .max(64, "リカバリーコードを正しく入力してください。");

/** In E.164. */
export const phoneNumber = z
  .string({ error: "電話番号を入力してください。" })
  .max(40, "電話番号を正しく入力してください。")
  .transform((typed, context) => {
    const number = toE164(typed);
    if (number) return number;
    context.addIssue({ code: "custom", message: "SMSを受け取れる電話番号を入力してください。" });
    return z.NEVER;
  });
