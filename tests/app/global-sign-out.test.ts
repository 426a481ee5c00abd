import { UnsecuredJWT } from "jose";
import { RouterContextProvider } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Edge, edgeContext } from "../../app/request/context.ts";
import { type IdentityAccess, identityContext, type SignInStatus } from "../../app/session/context.ts";
import { signInStatus, signOutEverywhere } from "../../app/session/global-sign-out.ts";
import type { Session } from "../../app/session/session.ts";
import { SignInMemo } from "../../workers/kernel/sign-in-memo.ts";
import { IDENTITY_ORIGIN } from "../../workers/verifier/deployment.ts";
import { stopClock } from "../support/stopped-clock.ts";

const newMemo = () => new SignInMemo<SignInStatus>("signed_out");
const contextOf = (fetch: IdentityAccess["fetch"], sign_out_memo = newMemo()) => {
  const context = new RouterContextProvider();
  context.set(edgeContext, { request_id: "request-0001", transport: {} } as Edge);
  context.set(identityContext, { fetch, sign_out_memo } as Partial<IdentityAccess> as IdentityAccess);
  return context;
};
/** Unsigned: a session's token was verified when it was stored. */
const tokenOf = (signInId: string) => new UnsecuredJWT({ signInId }).encode();
const session = { id: "somebody", token: tokenOf("phone"), keyForGlobalSignOut: "key" } as Session;
const answerWith = (isSignedOut: boolean) => async () => Response.json({ isSignedOut });

// A memo lasts a second.
beforeEach(stopClock);
afterEach(() => void vi.restoreAllMocks());

/** Captures the log. */
const captureLog = () => vi.spyOn(console, "error").mockReturnValue();

test.each<[string, IdentityAccess["fetch"]]>([
  ["refuses", async () => new Response(null, { status: 401 })],
  ["has failed", async () => new Response(null, { status: 500 })],
  ["cannot be reached", () => Promise.reject(new Error("reset"))],
])("signing out continues and the failure is logged when the identity service %s", async (_, identity) => {
  const logged = captureLog();
  const memo = newMemo();
  expect(await signOutEverywhere(contextOf(identity, memo), session)).toBe(false);
  expect(logged).toHaveBeenCalledWith(expect.stringContaining("sign-out key not registered"));
  expect(memo.read("somebody phone")).toBeUndefined();
});

test.each([
  ["without the key of its account's sign-ins ends all of them", null, 204, ["DELETE refresh-token"]],
  [
    "without that key ends itself when the service cannot end them all",
    null,
    500,
    ["DELETE refresh-token", "DELETE sign-ins?id=phone"],
  ],
  ["with that key stays when the service cannot register it", "key", 500, ["PUT key-for-global-sign-out"]],
])("a sign-in %s", async (_, keyForGlobalSignOut, status, asked) => {
  captureLog();
  const sent: string[] = [];
  const context = contextOf(async ({ method, url }) => {
    sent.push(`${method} ${url.replace(`${IDENTITY_ORIGIN}/v2/general/auth/`, "")}`);
    return new Response(null, { status });
  });
  expect(await signOutEverywhere(context, { ...session, keyForGlobalSignOut })).toBe(status === 204);
  expect(sent).toEqual(asked);
});

test("a status that cannot be fetched is logged", async () => {
  const logged = captureLog();
  await signInStatus(
    contextOf(() => Promise.reject(new Error("reset"))),
    session,
  );
  expect(logged).toHaveBeenCalledWith(expect.stringContaining("sign-out status not known"));
});

test.each<[string, IdentityAccess["fetch"], string]>([
  ["says that it has ended", answerWith(true), "signed_out"],
  ["says that it continues", answerWith(false), "signed_in"],
  ["no longer knows the account", async () => new Response(null, { status: 401 }), "refused"],
  ["has failed", async () => new Response(null, { status: 500 }), "signed_in"],
  ["cannot be reached", () => Promise.reject(new Error("reset")), "signed_in"],
  ["answers with a page", async () => new Response("<!doctype html>"), "signed_in"],
  ["answers something else", async () => Response.json({ isSignedOut: "yes" }), "signed_in"],
  ["answers null", async () => Response.json(null), "signed_in"],
])("reads the status of a sign-in when the identity service %s", async (_, identity, status) => {
  expect(await signInStatus(contextOf(identity), session)).toBe(status);
});

test("one sign-in is checked once a second, and an older answer does not undo a known end", async () => {
  const memo = newMemo();
  let asked = 0;
  const context = contextOf(async () => {
    asked++;
    return Response.json({ isSignedOut: false });
  }, memo);
  for (let page = 0; page < 20; page++) expect(await signInStatus(context, session)).toBe("signed_in");
  vi.setSystemTime(Date.now() + 999);
  expect(await signInStatus(context, session)).toBe("signed_in");
  expect(asked).toBe(1);
  expect(await signInStatus(context, { ...session, token: tokenOf("desk") })).toBe("signed_in");
  expect(await signInStatus(context, { ...session, id: "somebody else" })).toBe("signed_in");
  expect(asked).toBe(3);
  memo.write("somebody phone", "signed_out", Date.now());
  memo.write("somebody phone", "signed_in", Date.now());
  expect(await signInStatus(context, session)).toBe("signed_out");
  memo.write("old key", "signed_out", Date.now() - 1000);
  expect(memo.read("old key")).toBeUndefined();
});

test("a refused token does not end the next token of the same sign-in", async () => {
  const memo = newMemo();
  const refused = contextOf(async () => new Response(null, { status: 401 }), memo);
  expect(await signInStatus(refused, session)).toBe("refused");
  expect(await signInStatus(contextOf(answerWith(false), memo), session)).toBe("signed_in");
});

test("a page that asks whether it is still signed in gets no cached answer", async () => {
  const memo = newMemo();
  expect(await signInStatus(contextOf(answerWith(false), memo), session)).toBe("signed_in");
  expect(await signInStatus(contextOf(answerWith(true), memo), session, true)).toBe("signed_out");
  expect(await signInStatus(contextOf(answerWith(false), memo), session)).toBe("signed_out");
});
