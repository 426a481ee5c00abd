import { Problem } from "../../kernel/problem.ts";
import { type IdentityClaims, TokenRefused, verifyIdToken } from "../../verifier/index.ts";
import { servesProvider } from "../deployment.ts";
import { findAccount } from "../provider/queries.ts";
import { isEnded } from "../provider/sessions.ts";
import { verifyOwnIdToken } from "../provider/tokens.ts";
import type { Identity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";
import { adoptAccount } from "./commands.ts";

export interface Caller {
  account: Account;
  claims: IdentityClaims;
}

/**
 * The account whose ID token the request bears.
 * Throws the problems `unauthenticated` (no token), `token_invalid` (a bad one, or an account deleted or disabled) and
 * `unavailable` (the key set could not be had).
 */
export async function requireCaller(identity: Identity, request: Request): Promise<Caller> {
  const token = request.headers.get("authorization")?.match(/^bearer +(\S+)$/i)?.[1];
  if (!token) throw new Problem("unauthenticated");
  const { env } = identity;
  const embedded = servesProvider(env);
  const claims = await (embedded
    ? verifyOwnIdToken(identity, token)
    : verifyIdToken(token, {
        project_id: env.PROJECT_ID,
        jwks_url: env.JWKS_URL,
        fetch: (url, init) => fetch(url, init),
      })
  ).catch((cause: unknown) => {
    throw new Problem(cause instanceof TokenRefused ? "token_invalid" : "unavailable", { cause });
  });
  if (!embedded) await adoptAccount(identity, claims.sub);
  const account = await findAccount(identity, claims.sub);
  if (!account || account.disabled) throw new Problem("token_invalid");
  return { account, claims };
}

/** As {@link requireSignedInCaller}; null without a token. */
export async function optionalCaller(identity: Identity, request: Request): Promise<Caller | null> {
  return request.headers.has("authorization") ? requireSignedInCaller(identity, request) : null;
}

/** As {@link requireCaller}; refuses besides, as `token_invalid`, a token whose sign-in was revoked or signed out. */
export async function requireSignedInCaller(identity: Identity, request: Request): Promise<Caller> {
  const caller = await requireCaller(identity, request);
  if (await isEnded(identity, caller.account, caller.claims)) throw new Problem("token_invalid");
  return caller;
}
