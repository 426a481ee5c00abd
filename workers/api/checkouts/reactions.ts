import type { CompiledQuery } from "kysely";
import type { OutboxEvent, ReactionContext } from "../storage/outbox.ts";
import { findMailReceiver, type MailReceiver, readUser } from "../users/queries.ts";
import { findBySession, findCheckout, findIdOfPayment } from "./queries.ts";
import { checkoutPath, isFanLetter, readWords, titlesInMails } from "./rules.ts";
import { settleCheckout } from "./settle.ts";

/**
 * Brings the payment that an event of the gateway is about up to date. It commits by itself, because the payer's page and the
 * clock may do the same at this moment. Plans have sessions too, which are not ours.
 */
export async function settleOnEvent(
  { payload }: OutboxEvent<"gateway_event">,
  context: ReactionContext,
): Promise<CompiledQuery[]> {
  if (payload.object !== "checkout.session") return [];
  const checkout = await findBySession(context, payload.object_id);
  if (checkout) await settleCheckout(context, checkout);
  return [];
}

/**
 * Mails the receipt to the payer. A guest who gave no address gets none. A receipt is handed over again after a failure,
 * under the same id.
 */
export async function mailReceipt(
  { payload: { checkout_id } }: OutboxEvent<"checkout_paid">,
  context: ReactionContext,
): Promise<CompiledQuery[]> {
  const paid = await findMailed(context, checkout_id);
  if (!paid?.paid_at) return [];
  const { receiver, is_guest, paid_at, ...gaps } = paid;
  const kind = is_guest ? "claim_letter" : "payment_receipt";
  await context.mails.handOver([{ mail_id: `receipt:${checkout_id}`, kind, ...receiver, gaps: { ...gaps, paid_at } }]);
  return [];
}

/** Mails the payer, member or guest, that a payment went back because it could not be delivered. */
export async function mailReturn(
  { payload: { checkout_id } }: OutboxEvent<"checkout_returned">,
  context: ReactionContext,
): Promise<CompiledQuery[]> {
  return handOverReturn(context, checkout_id, true);
}

/** Mails a guest that an operator refunded the payment. Members get a notification, which a mail repeats. */
export async function mailGuestRefund(
  { payload: { payment_id, payer_user_id } }: OutboxEvent<"payment_refunded">,
  context: ReactionContext,
): Promise<CompiledQuery[]> {
  if (payer_user_id !== null) return [];
  const checkout_id = await findIdOfPayment(context, payment_id);
  return checkout_id === null ? [] : handOverReturn(context, checkout_id, false);
}

async function handOverReturn(context: ReactionContext, checkout_id: string, is_undelivered: boolean) {
  const returned = await findMailed(context, checkout_id);
  if (!returned) return [];
  const { receiver, title, amount, receipt_link } = returned;
  const gaps = { title, amount, is_undelivered, receipt_link };
  await context.mails.handOver([{ mail_id: `return:${checkout_id}`, kind: "payment_returned", ...receiver, gaps }]);
  return [];
}

/** Returns what a mail about a payment says, and to whom; null for a payer without an address. */
async function findMailed(context: ReactionContext, checkout_id: string) {
  const checkout = await findCheckout(context, checkout_id);
  if (!checkout) return null;
  const { kind, paid_kind, amount, paid_at, payer_user_id, payer_email } = checkout;
  // A guest has no settings.
  const guest: MailReceiver | null = payer_email === null ? null : { recipient: payer_email, language: "ja" };
  const receiver = payer_user_id === null ? guest : await findMailReceiver(context, payer_user_id);
  if (!receiver) return null;
  const { name } = readUser(checkout.creator);
  const words = readWords(checkout);
  const is_fan_letter = words ? isFanLetter(words) : paid_kind === "fan_letter_support";
  return {
    receiver,
    is_guest: payer_user_id === null,
    title: titlesInMails(name, kind === "ofuse" ? (is_fan_letter ? "fan_letter" : "letter") : "comment")[
      receiver.language
    ],
    amount,
    paid_at,
    receipt_link: context.gateway.addressOf(checkoutPath(checkout_id)),
  };
}
