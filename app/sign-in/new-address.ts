import type { RouterContextProvider } from "react-router";
import * as z from "zod";
import { emailAddress } from "../../workers/contract/text.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import { refuseAuthor } from "../forms/authorship.ts";
import { readForm } from "../forms/read-form.ts";
import { refuseWords, returnWords, type Words } from "../forms/words.ts";
import { v4Context } from "../request/context.ts";
import { setFlash } from "../request/flash.ts";
import { closeSession, renewSession } from "../session/current-session.ts";
import type { Session } from "../session/session.ts";
import type { V4 } from "../v4/client.ts";
import { keptTo } from "./aim.ts";
import { askProvider, ownSession } from "./ask-provider.ts";
import { requireRecentSignIn } from "./recent-sign-in.ts";

type Context = Readonly<RouterContextProvider>;

const newAddressForm = z.object({ new_email: emailAddress });

/**
 * Mails a link to the address in the form. Opening the link gives the account that address and continues at `to`. Does
 * not reveal whether another account has the address. Returns null if the mail was sent, otherwise the form with its
 * errors. Throws a redirect to `/login/confirm` if the sign-in is too old.
 */
export async function mailNewAddress(context: Context, url: URL, words: Words, to: string) {
  const read = readForm(words.form, newAddressForm);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const not_theirs = refuseAuthor(context, words.form);
  if (not_theirs) return refuseWords(context, words, read, not_theirs);
  const { new_email } = read.value;
  const { email, emailVerified } = ownSession(context);
  if (emailVerified && new_email.toLowerCase() === email) {
    const same = read.toResult("いまお使いのメールアドレスと同じです。");
    return returnWords(words, same, 422);
  }
  await requireRecentSignIn(context, url, words.form);
  const continue_url = url.origin + keptTo(to);
  const asked = await askProvider(context, url, (toolkit, id_token) =>
    toolkit.sendChangeMail(id_token, new_email, continue_url),
  );
  // Give the same answer for an address that another account has verified.
  if (asked.ok || asked.code === "EMAIL_EXISTS") return null;
  return returnWords(words, read.toResult(asked.message), asked.status);
}

/**
 * Renews the session, and sends its address to the product if it has been verified in any browser. Returns false if
 * the address is not verified, is not `expected`, or could not be sent.
 */
export async function takeOverAddress(context: Context, expected?: string): Promise<boolean> {
  const session = await renewSession(context);
  if (session === "refused") closeSession(context);
  if (session === "refused" || session === "unavailable") return false;
  if (expected !== undefined && session.email !== expected) return false;
  const outcome = await sendAddressToProduct(context.get(v4Context).as(session.token), session);
  if (outcome === "sent") setFlash(context, "email_taken_over");
  return outcome !== "not_sent";
}

/** Sends the session's verified address to the product. A profile created later takes the address from the token. */
export async function sendAddressToProduct(
  v4: V4,
  { email, emailVerified }: Session,
): Promise<"sent" | "no_profile_yet" | "not_sent"> {
  if (!email || !emailVerified) return "not_sent";
  const sent = await v4.send(updateProfile, { body: { email_confirmed: true } });
  if (sent.ok) return "sent";
  return sent.refusal.code === "registration_required" ? "no_profile_yet" : "not_sent";
}
