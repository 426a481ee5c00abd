import type { RouterContextProvider } from "react-router";
import { z } from "zod";
import { emailAddress } from "../../workers/contract/text.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import { readForm } from "../forms/read-form.ts";
import { returnWords, type Words } from "../forms/words.ts";
import { v4Context } from "../middleware/context.ts";
import { askProvider, ownSession } from "./ask-provider.ts";
import { requireRecentSignIn } from "./recent-sign-in.ts";
import { renew } from "./sign-in.ts";

type Context = Readonly<RouterContextProvider>;

const newAddressForm = z.object({ new_email: emailAddress });

/**
 * Has a mail sent to the address in the form, by which the account gets it; whether another account has it is not told.
 * Null when it is sent; otherwise the form with what is wrong. Throws the way to `/login/confirm`, where the address waits.
 */
export async function mailNewAddress(context: Context, url: URL, words: Words) {
  const read = readForm(words.form, newAddressForm);
  if (!read.value) return returnWords(words, read.refused(), 422);
  const { new_email } = read.value;
  const { email, emailVerified } = ownSession(context);
  if (emailVerified && new_email.toLowerCase() === email) {
    const same = read.refused("いまお使いのメールアドレスと同じです。");
    return returnWords(words, same, 422);
  }
  await requireRecentSignIn(context, url, words.form);
  const asked = await askProvider(context, url, (toolkit, id_token) => toolkit.sendChangeMail(id_token, new_email));
  // The same for an address that another account has proved.
  if (asked.ok || asked.code === "EMAIL_EXISTS") return null;
  return returnWords(words, read.refused(asked.message), asked.status);
}

/** Whether the account's address is proven by now, wherever the mail was opened; if so the product is told. */
export async function takeOverAddress(context: Context): Promise<boolean> {
  const session = await renew(context);
  if (session === "refused" || session === "unavailable" || !session.emailVerified || !session.email) return false;
  const v4 = context.get(v4Context).as(session.token);
  // Who has no profile yet gets it with this address.
  const sent = await v4.send(updateProfile, { body: { email_confirmed: true } });
  return sent.ok || sent.refusal.code === "registration_required";
}
