import { z } from "zod";
import { toE164 } from "../session/phone-number.ts";

/** A telephone number as people write it; gives it in E.164. */
export const phoneNumber = z.string({ error: "電話番号を入力してください。" }).transform((typed, context) => {
  const number = toE164(typed);
  if (number !== null) return number;
  context.addIssue({ code: "custom", message: "SMSを受け取れる電話番号を、正しく入力してください。" });
  return z.NEVER;
});

/** Six digits, however they were typed: some keyboards write full-width ones, some apps show a gap in the middle. */
export const oneTimeCode = z
  .string({ error: "コードを入力してください。" })
  .transform((typed) => typed.normalize("NFKC").replace(/[\s-]/g, ""))
  .pipe(z.string().regex(/^\d{6}$/, "6桁の数字を入力してください。"));
