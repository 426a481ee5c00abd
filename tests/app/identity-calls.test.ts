import { RouterContextProvider } from "react-router";
import { expect, test } from "vitest";
import { type Edge, edgeContext, refusedContext } from "../../app/request/context.ts";
import { type IdentityAccess, identityContext } from "../../app/session/context.ts";
import { identityCalls } from "../../app/session/identity-calls.ts";
import { unsubscribeIdentity } from "../../workers/contract/identity.ts";

test.each(["ja", "en"] as const)(
  "a call of the identity service asks for mails in the language %s",
  async (language) => {
    const context = new RouterContextProvider();
    const asked: Request[] = [];
    const fetch = async (request: Request) => {
      asked.push(request);
      return new Response(null, { status: 204 });
    };
    const transport = { origin: "", fetch, limit: () => AbortSignal.timeout(60_000) };
    context.set(edgeContext, { request_id: "r", transport } as unknown as Edge);
    context.set(identityContext, { fetch, toolkit: { language } } as unknown as IdentityAccess);
    context.set(refusedContext, null);
    await identityCalls(context, { token: "t" }).send(unsubscribeIdentity, {});
    expect(asked.map(({ headers }) => headers.get("x-firebase-locale"))).toEqual([language]);
  },
);
