import { expect, test } from "vitest";
import type { Edge } from "../../app/middleware/context.ts";
import { isSignedOut } from "../../app/session/global-sign-out.ts";
import type { Session } from "../../app/session/session.ts";

test("while the identity service is silent nobody is signed out", async () => {
  const edge = (identity: Edge["identity"]) =>
    ({
      request_id: "request-0001",
      identity,
      transport: { limit: () => AbortSignal.timeout(5000) },
    }) as unknown as Edge;
  const session = { token: "t", keyForGlobalSignOut: "key" } as Session;
  expect(
    await isSignedOut(
      edge(async () => Response.json({ isSignedOut: true })),
      session,
    ),
  ).toBe(true);
  expect(
    await isSignedOut(
      edge(async () => Response.json({ isSignedOut: false })),
      session,
    ),
  ).toBe(false);
  expect(
    await isSignedOut(
      edge(async () => new Response(null, { status: 401 })),
      session,
    ),
  ).toBe(true);
  expect(
    await isSignedOut(
      edge(async () => new Response(null, { status: 500 })),
      session,
    ),
  ).toBe(false);
  expect(
    await isSignedOut(
      edge(() => Promise.reject(new Error("reset"))),
      session,
    ),
  ).toBe(false);
});
