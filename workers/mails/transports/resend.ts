import { toMailbox } from "../rules.ts";
import { headersOf, type Outcome, type Sending, type Transport, toAnswer } from "./transport.ts";

export interface ResendSettings {
  api_key: string;
}

const SENDING = "https://api.resend.com/emails";
const ANSWER_MS = 15_000;

/** A sending as Resend's idempotency key: the mail's id, with a number after an operator has queued the mail again. */
const keyOf = ({ mail_id, retries }: Sending): string => (retries === 0 ? mail_id : `${mail_id}/${retries}`);

/**
 * Returns the value of the tag by which reports name a sending. A value may hold only ASCII letters, digits, `_` and `-`, at
 * most 256 of them. Source: https://resend.com/docs/api-reference/emails/send-email, "tags".
 */
const toTag = (sending: Sending): string => Buffer.from(keyOf(sending)).toString("base64url");

/** Returns the sending that {@link toTag} was given. A tag that is not ours names none of our mails. */
export function fromTag(tag: string): Sending {
  const [mail_id = "", retries = "0"] = Buffer.from(tag, "base64url").toString().split("/");
  return { mail_id, retries: Number(retries) || 0 };
}

/**
 * Opens a transport that sends by Resend's HTTP API. Each sending has an idempotency key, so a mail whose answer was lost
 * is not sent again within the 24 hours that Resend keeps keys.
 * Source: https://resend.com/docs/api-reference/emails/send-email, "Idempotency keys", "Errors".
 */
export function openResend({ api_key }: ResendSettings, from: { address: string; name: string }): Transport {
  return {
    async send(mail) {
      const { recipient, subject, text, html } = mail;
      const body = {
        from: nameAndAddress(from),
        to: [toMailbox(recipient)],
        subject,
        text,
        html,
        headers: headersOf(mail),
        // The webhook of a mail that does not arrive names it by this tag.
        tags: [{ name: "mail", value: toTag(mail) }],
      };
      try {
        const answer = await fetch(SENDING, {
          method: "POST",
          headers: {
            authorization: `Bearer ${api_key}`,
            "content-type": "application/json",
            "idempotency-key": keyOf(mail),
          },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(ANSWER_MS),
        });
        return toOutcome(answer.status, await answer.text());
      } catch (error) {
        return { kind: "deferred", answer: toAnswer(String(error)), is_general: true };
      }
    },
    close() {},
  };
}

const nameAndAddress = ({ address, name }: { address: string; name: string }): string =>
  `"${name.replace(/["\\\p{Cc}]/gu, "")}" <${address}>`;

/** What 400 says of a malformed key, and 422 of the sender's address: every mail would get it. Source: "Errors" there. */
const ACCOUNT_REFUSAL = /API key is invalid|invalid_from_address/;

function toOutcome(status: number, text: string): Outcome {
  const answer = toAnswer(`${status} ${text}`);
  if (status >= 200 && status < 300) return { kind: "sent", answer };
  const is_of_account = ACCOUNT_REFUSAL.test(text);
  // The mail itself is refused. A bounce comes later, as a webhook.
  if (!is_of_account && [400, 413, 422].includes(status)) return { kind: "refused", answer, is_bounce: false };
  // 409: the same mail is being sent just now. All others concern the account (key, domain, quota) or the service.
  return { kind: "deferred", answer, is_general: status !== 409 };
}
