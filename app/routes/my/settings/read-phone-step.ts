import { z } from "zod";
import { oneTimeCode, phoneNumber } from "../../../forms/codes.ts";
import { readForm } from "../../../forms/read-form.ts";
import type { Refused } from "../../../session/sign-in-refusals.ts";

const numberForm = z.object({ phone_number: phoneNumber });
const codeForm = z.object({ code: oneTimeCode });

export const readNumber = (form: FormData) => readForm(form, numberForm);
export const readCode = (form: FormData) => readForm(form, codeForm);

export const TOO_LATE = "コードの有効期限が切れました。はじめからやり直してください。";

/** A refusal of the provider as one of the API's: beside the field it is about. */
export function beside(field: string, { status, message, code }: Refused) {
  const about_field = code === "INVALID_CODE" || code === "INVALID_PHONE_NUMBER";
  const fields = about_field ? { [field]: [message] } : {};
  return { code: code ?? "", status, detail: message, fields, needs_sign_in: false, retry_after_s: null };
}
