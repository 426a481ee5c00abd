import { UnsecuredJWT } from "jose";
import { expect, test } from "vitest";
import type { Edge, SignInStatus } from "../../app/request/context.ts";
import { signInStatus } from "../../app/session/global-sign-out.ts";
import type { Session } from "../../app/session/session.ts";
import { SignInMemo } from "../../workers/kernel/sign-in-memo.ts";

test("an identity service that never answers is given up, and its member stays signed in", async () => {
  let given_up = "";
  const identity: Edge["identity"] = ({ signal }) =>
    new Promise((_, reject) =>
      signal.addEventListener("abort", () => {
        given_up = signal.reason.name;
        reject(signal.reason);
      }),
    );
  const edge = {
    request_id: "request-0001",
    identity,
    sign_out_memo: new SignInMemo<SignInStatus>("signed_out"),
    transport: {},
  };
  const session = {
    id: "somebody",
    token: new UnsecuredJWT({ signInId: "phone" }).encode(),
    keyForGlobalSignOut: "key",
  } as Session;
  expect(await signInStatus(edge as unknown as Edge, session)).toBe("signed_in");
  expect(given_up).toBe("TimeoutError");
});
