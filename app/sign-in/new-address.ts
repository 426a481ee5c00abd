import type { RouterContextProvider } from "react-router";
import { z } from "zod";
import { emailAddress } from "../../workers/contract/text.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import { readForm } from "../forms/read-form.ts";
import { returnWords, type Words } from "../forms/words.ts";
import { v4Context } from "../request/context.ts";
import { setFlash } from "../request/flash.ts";
import { closeSession, renew } from "../session/current-session.ts";
import type { Session } from "../session/session.ts";
import type { V4 } from "../v4/client.ts";
import { keptTo } from "./aim.ts";
import { askProvider, ownSession } from "./ask-provider.ts";
import { requireRecentSignIn } from "./recent-sign-in.ts";

type Context = Readonly<RouterContextProvider>;

const newAddressForm = z.object({ new_email: emailAddress });

/**
 * Has a mail sent to the address in the form, by which the account gets it and goes on at `to`; whether another account has it is
 * not told. Null when it is sent; otherwise the form with what is wrong. Throws the way to `/login/confirm`, where the address waits.
 */
export async function mailNewAddress(context: Context, url: URL, words: Words, to: string) {
  const read = readForm(words.form, newAddressForm);
  if (!read.value) return returnWords(words, read.refused(), 422);
  const { new_email } = read.value;
  const { email, emailVerified } = ownSession(context);
  if (emailVerified && new_email.toLowerCase() === email) {
    const same = read.refused("いまお使いのメールアドレスと同じです。");
    return returnWords(words, same, 422);
  }
  await requireRecentSignIn(context, url, words.form);
  const continue_url = url.origin + keptTo(to);
  const asked = await askProvider(context, url, (toolkit, id_token) =>
    toolkit.sendChangeMail(id_token, new_email, continue_url),
  );
  // The same for an address that another account has proved.
  if (asked.ok || asked.code === "EMAIL_EXISTS") return null;
  return returnWords(words, read.refused(asked.message), asked.status);
}

/**
 * Renews the session, and has the product take over its address if that is proven by now, wherever the mail was opened. Whether
 * it is; with `expected` also whether it is that one.
 */
export async function takeOverAddress(context: Context, expected?: string): Promise<boolean> {
  const session = await renew(context);
  if (session === "refused") closeSession(context);
  if (session === "refused" || session === "unavailable") return false;
  if (expected !== undefined && session.email !== expected) return false;
  const told = await tellAddress(context.get(v4Context).as(session.token), session);
  if (told === "told") setFlash(context, "email_taken_over");
  return told !== "not_told";
}

/** Tells the product the address that the session's person has proven. Who has no profile yet gets it with this address. */
export async function tellAddress(
  v4: V4,
  { email, emailVerified }: Session,
): Promise<"told" | "no_profile_yet" | "not_told"> {
  if (!email || !emailVerified) return "not_told";
  const sent = await v4.send(updateProfile, { body: { email_confirmed: true } });
  if (sent.ok) return "told";
  return sent.refusal.code === "registration_required" ? "no_profile_yet" : "not_told";
}
