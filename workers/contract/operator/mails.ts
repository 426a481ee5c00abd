import * as z from "zod";
import { countUpTo, pageToken, TIME_PART } from "../fields.ts";
import { isSendable, MAIL_ID_PART, MAIL_STATES, operatedMails, suppressionList } from "../mails.ts";
import { defineOperation } from "../operation.ts";
import { ACT_ERRORS, givenReason, MAX_LISTED } from "./parts.ts";

/** Mails that failed, and addresses that get none. */

/** An operator may look for any text: old mails may have an address that no mail reaches. */
const mailAddress = z
  .string()
  .min(3)
  .max(254)
  .meta({ description: "メールアドレス", examples: ["hana@example.jp"] });

/** The mails of a state or to an address, newest first, without their words, and how many there are. */
export const listMails = defineOperation({
  id: "listMails",
  method: "GET",
  path: "/v4/operator/mails",
  auth: "operator",
  summary: "送信したメール、送信できないメールを見る",
  query: z.object({
    state: z.enum(MAIL_STATES).optional().meta({ description: "状態" }),
    address: mailAddress.optional(),
    next_page_token: pageToken(`${TIME_PART}_${MAIL_ID_PART}`, 150)
      .optional()
      .meta({ description: "続きの印", examples: ["2026-11-22T15:30:00.000Z_receipt:01m7zvhtjmkdshhcvbmqvkbzqe"] }),
    limit: countUpTo(MAX_LISTED, MAX_LISTED).meta({ description: "件数" }),
  }),
  status: 200,
  answer: operatedMails,
  errors: [],
});

/** Lets a failed mail be sent again, within a minute. Throws `not_found` unless it has failed and still has its words. */
export const retryMail = defineOperation({
  id: "retryMail",
  method: "POST",
  path: "/v4/operator/mails/{mail_id}/retry",
  auth: "operator",
  summary: "送信できなかったメールを、もう一度送る",
  params: z.object({
    mail_id: z
      .string()
      .regex(new RegExp(`^${MAIL_ID_PART}$`))
      .meta({ examples: ["receipt:01m7zvhtjmkdshhcvbmqvkbzqe"] }),
  }),
  status: 204,
  answer: null,
  errors: ACT_ERRORS,
});

/** The newest suppressions and their number for each reason, or those of one address. */
export const listSuppressions = defineOperation({
  id: "listSuppressions",
  method: "GET",
  path: "/v4/operator/mails/suppressions",
  auth: "operator",
  summary: "送信を止めた宛先を見る",
  query: z.object({ address: mailAddress.optional() }),
  status: 200,
  answer: suppressionList,
  errors: [],
});

/** Suppresses an address, or ends every suppression of it. */
export const setMailSuppressed = defineOperation({
  id: "setMailSuppressed",
  method: "PUT",
  path: "/v4/operator/mails/suppressions",
  auth: "operator",
  summary: "アドレスへの送信を止める、または再開する",
  body: z
    .object({
      address: mailAddress,
      is_suppressed: z.boolean().meta({ examples: [true] }),
      reason: givenReason.nullable().default(null),
    })
    // Older suppressions may be of addresses that nobody could mail to. They can be ended.
    .refine(({ address, is_suppressed }) => !is_suppressed || isSendable(address), {
      path: ["address"],
      error: "メールアドレスを正しく入力してください。",
    }),
  status: 204,
  answer: null,
  errors: ACT_ERRORS,
});
