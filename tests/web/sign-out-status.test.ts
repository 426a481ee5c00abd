import { expect, test } from "vitest";
import type { Edge } from "../../app/middleware/context.ts";
import { signInStatus } from "../../app/session/global-sign-out.ts";
import type { Session } from "../../app/session/session.ts";
import { SignOutAnswers } from "../../workers/web/sign-out-answers.ts";

test("an identity service that never answers is given up, and its member stays signed in", async () => {
  let given_up = "";
  const identity: Edge["identity"] = ({ signal }) =>
    new Promise((_, reject) =>
      signal.addEventListener("abort", () => {
        given_up = signal.reason.name;
        reject(signal.reason);
      }),
    );
  const edge = { request_id: "request-0001", identity, sign_out_memo: new SignOutAnswers(), transport: {} };
  const session = { id: "somebody", token: "t", keyForGlobalSignOut: "key" } as Session;
  expect(await signInStatus(edge as unknown as Edge, session)).toBe("signed_in");
  expect(given_up).toBe("TimeoutError");
});
