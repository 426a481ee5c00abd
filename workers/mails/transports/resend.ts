import { toMailbox } from "../rules.ts";
import { headersOf, type Outcome, type Transport } from "./transport.ts";

export interface ResendSettings {
  api_key: string;
}

const SENDING = "https://api.resend.com/emails";
const ANSWER_MS = 15_000;
const MAX_ANSWER_LENGTH = 300;

/**
 * Opens a transport that sends by Resend's HTTP API. The mail's id is the idempotency key, so a mail whose answer was lost
 * is not sent again within the 24 hours that Resend keeps keys.
 * Source: https://resend.com/docs/api-reference/emails/send-email, "Idempotency keys", "Errors".
 */
export function openResend({ api_key }: ResendSettings, from: { address: string; name: string }): Transport {
  return {
    async send(mail) {
      const { mail_id, recipient, subject, text, html, content_id } = mail;
      const body = {
        from: nameAndAddress(from),
        to: [toMailbox(recipient)],
        subject,
        text,
        html,
        headers: headersOf(mail),
        // A webhook names the newsletter of a mail that bounces later.
        ...(content_id !== null && { tags: [{ name: "content_id", value: content_id }] }),
      };
      try {
        const answer = await fetch(SENDING, {
          method: "POST",
          headers: {
            authorization: `Bearer ${api_key}`,
            "content-type": "application/json",
            "idempotency-key": mail_id,
          },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(ANSWER_MS),
        });
        return toOutcome(answer.status, await answer.text());
      } catch (error) {
        return { kind: "deferred", answer: String(error).slice(0, MAX_ANSWER_LENGTH), is_general: true };
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
  const answer = `${status} ${text.replace(/\p{Cc}+/gu, " ")}`.slice(0, MAX_ANSWER_LENGTH);
  if (status >= 200 && status < 300) return { kind: "sent", answer };
  const is_of_account = ACCOUNT_REFUSAL.test(text);
  // The mail itself is refused. A bounce comes later, as a webhook.
  if (!is_of_account && [400, 413, 422].includes(status)) return { kind: "refused", answer, is_bounce: false };
  // 409: the same mail is being sent just now. All others concern the account (key, domain, quota) or the service.
  return { kind: "deferred", answer, is_general: status !== 409 };
}
