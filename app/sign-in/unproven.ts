import type { RouterContextProvider } from "react-router";
import { replaceUnprovenAccount } from "../../workers/contract/identity.ts";
import { identityContext } from "../session/context.ts";
import { identityCalls } from "../session/identity-calls.ts";
import type { Refusal } from "../v4/client.ts";

/** What became of an account at Firebase that a stranger may have set up: the address whose account is new now, if any. */
export type Replaced = { ok: true; email: string | null } | { ok: false; refusal: Refusal };

/**
 * Before a mailed code is used at Firebase, which keeps what a stranger set on an account when its address is proven: has the
 * account replaced, unless nobody had proven another's or this browser's sign-in is of it. The embedded provider does so itself.
 *
 * @param id_token of the browser's own sign-in.
 */
export async function replaceUnproven(
  context: Readonly<RouterContextProvider>,
  oob_code: string,
  { id_token, password }: { id_token?: string; password?: string },
): Promise<Replaced> {
  // Only Firebase asks for it.
  if (context.get(identityContext).recaptcha === null) return { ok: true, email: null };
  const body = { oobCode: oob_code, ...(password === undefined ? {} : { newPassword: password }) };
  const sent = await identityCalls(context, { token: id_token ?? null }).send(replaceUnprovenAccount, { body });
  return sent.ok ? { ok: true, email: sent.answer.email } : sent;
}
