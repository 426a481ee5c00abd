import { UnsecuredJWT } from "jose";
import { RouterContextProvider } from "react-router";
import { expect, test } from "vitest";
import { type Edge, edgeContext } from "../../app/request/context.ts";
import { type IdentityAccess, identityContext, type SignInStatus } from "../../app/session/context.ts";
import { signInStatus } from "../../app/session/global-sign-out.ts";
import type { Session } from "../../app/session/session.ts";
import { SignInMemo } from "../../workers/kernel/sign-in-memo.ts";

test("the web worker gives up a silent identity service, and the member stays signed in", async () => {
  let given_up = "";
  const fetch: IdentityAccess["fetch"] = ({ signal }) =>
    new Promise((_, reject) =>
      signal.addEventListener("abort", () => {
        given_up = signal.reason.name;
        reject(signal.reason);
      }),
    );
  const context = new RouterContextProvider();
  context.set(edgeContext, { request_id: "request-0001", transport: {} } as Edge);
  const sign_out_memo = new SignInMemo<SignInStatus>("signed_out");
  context.set(identityContext, { fetch, sign_out_memo } as Partial<IdentityAccess> as IdentityAccess);
  const session = {
    id: "somebody",
    token: new UnsecuredJWT({ signInId: "phone" }).encode(),
    keyForGlobalSignOut: "key",
  } as Session;
  expect(await signInStatus(context, session)).toBe("signed_in");
  expect(given_up).toBe("TimeoutError");
});
