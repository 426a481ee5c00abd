import { expect } from "vitest";
import { call, type Reply } from "./people.ts";
import type { RunningIdentity } from "./support.ts";

/** Helpers for signing in by another provider, which the developer identity provider imitates. */

const SITE = "http://localhost:8788";
export const callbackOf = (provider: string) => `${SITE}/login/callback/${provider}`;

export interface Person {
  name?: string;
  email?: string;
  /** "1" if the provider says that the address is verified. */
  email_verified?: string;
  person?: string;
  deny?: string;
}
let made = 0;
export const newPerson = (): Person => ({ name: "花子", email: `idp-${made++}@example.jp`, email_verified: "1" });

export async function beginSignIn(identity: RunningIdentity, provider: string) {
  const { status, body } = await call(identity, "createAuthUri", {
    providerId: provider,
    continueUri: callbackOf(provider),
    authFlowType: "CODE_FLOW",
  });
  expect([status, body.providerId]).toEqual([200, provider]);
  return { provider, auth_uri: new URL(String(body.authUri)), session: String(body.sessionId) };
}
export type Begun = Awaited<ReturnType<typeof beginSignIn>>;

/** Chooses an identity at the developer identity provider. Returns what the browser brings back to the site. */
export async function chooseIdentity(
  identity: RunningIdentity,
  { auth_uri }: Pick<Begun, "auth_uri">,
  person: Person,
): Promise<URLSearchParams> {
  const response = await identity.fetch(`${auth_uri.pathname}${auth_uri.search}`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: identity.origin, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ person: "typed", ...person }),
  });
  if (response.status === 303) return new URL(response.headers.get("location") ?? "").searchParams;
  const page = await response.text();
  const fields = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  return new URLSearchParams(fields.map(([, name = "", value = ""]) => [name, value]));
}

export const finishSignIn = (
  identity: RunningIdentity,
  begun: Begun,
  post_body: URLSearchParams,
  more: object = {},
): Promise<Reply> =>
  call(identity, "signInWithIdp", {
    requestUri: callbackOf(begun.provider),
    postBody: post_body.toString(),
    sessionId: begun.session,
    returnSecureToken: true,
    ...more,
  });

export async function signInWith(
  identity: RunningIdentity,
  provider: string,
  person: Person,
  more: object = {},
): Promise<Reply> {
  const begun = await beginSignIn(identity, provider);
  return finishSignIn(identity, begun, await chooseIdentity(identity, begun, person), more);
}
