import type { RouterContextProvider } from "react-router";
import { replaceUnprovenAccount } from "../../workers/contract/identity.ts";
import { identityContext } from "../session/context.ts";
import { identityCalls } from "../session/identity-calls.ts";
import type { Refusal } from "../v4/client.ts";

/** The result of {@link replaceUnproven}: the address whose account was replaced, if any. */
export type Replaced = { ok: true; email: string | null } | { ok: false; refusal: Refusal };

/**
 * Replaces an account at Firebase before a mailed code verifies its address. A stranger may have created the account
 * with that address, and Firebase would keep the stranger's password. Does not replace the account that this browser is
 * signed in to. The embedded provider needs no such call.
 * @param id_token the token of this browser's own sign-in.
 */
export async function replaceUnproven(
  context: Readonly<RouterContextProvider>,
  oob_code: string,
  { id_token, password }: { id_token?: string; password?: string },
): Promise<Replaced> {
  // Only Firebase uses reCAPTCHA, and only Firebase needs this call.
  if (context.get(identityContext).recaptcha === null) return { ok: true, email: null };
  const body = { oobCode: oob_code, ...(password === undefined ? {} : { newPassword: password }) };
  const sent = await identityCalls(context, { token: id_token ?? null }).send(replaceUnprovenAccount, { body });
  return sent.ok ? { ok: true, email: sent.answer.email } : sent;
}
