import { waitUntil } from "cloudflare:workers";
import { logUnexpected } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { type IdentityClaims, TokenRefused, verifyIdToken } from "../../verifier/index.ts";
import { servesProvider } from "../deployment.ts";
import { findAccount } from "../provider/queries.ts";
import { isEnded } from "../provider/sessions.ts";
import { verifyOwnIdToken } from "../provider/tokens.ts";
import type { Identity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";
import { adminOf, hasAdmin } from "./admin.ts";
import { adoptAccount } from "./commands.ts";
import { isMissingClaims, sendClaims } from "./firebase-claims.ts";

export interface Caller {
  account: Account;
  claims: IdentityClaims;
}

/**
 * Returns the account of the request's ID token.
 * Throws the problems `unauthenticated` (no token), `token_invalid` (a bad token, or a deleted or disabled account) and
 * `unavailable` (the key set could not be fetched).
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
  if (!embedded) await adoptAccount(identity, claims);
  const account = await findAccount(identity, claims.sub);
  if (!account || account.disabled) throw new Problem("token_invalid");
  return { account, claims };
}

/** Like {@link requireSignedInCaller}, but returns null without a token. */
export async function optionalCaller(identity: Identity, request: Request): Promise<Caller | null> {
  return request.headers.has("authorization") ? requireSignedInCaller(identity, request) : null;
}

/** Tokens for which this worker has sent the claims of the account to Firebase. Keeps the newest thousand. */
const sent_tokens = new Set<string>();
const MAX_SENT_TOKENS = 1000;

/**
 * Sends the account's claims to Firebase when the caller's token shows that Firebase lacks them. The call runs after the
 * answer; the next request retries a failed call, and so does the next token that lacks them. Do not call it in a
 * sign-out, which writes the claims itself.
 */
export async function sendMissingClaims(identity: Identity, { account, claims }: Caller): Promise<void> {
  const { local_id } = account;
  const token = `${local_id} ${claims.iat}`;
  if (!hasAdmin(identity) || sent_tokens.has(token) || !(await isMissingClaims(identity, account, claims))) return;
  sent_tokens.add(token);
  const [oldest = ""] = sent_tokens;
  if (sent_tokens.size > MAX_SENT_TOKENS) sent_tokens.delete(oldest);
  const send = async () => {
    const admin = adminOf(identity);
    if (admin) await sendClaims(identity, admin, local_id);
  };
  waitUntil(
    send().catch((error) => {
      sent_tokens.delete(token);
      logUnexpected(error.cause ?? error, `claims-${crypto.randomUUID()}`);
    }),
  );
}

/**
 * Like {@link requireCaller}, but also refuses, as `token_invalid`, a token whose sign-in was revoked or signed out.
 */
export async function requireSignedInCaller(identity: Identity, request: Request): Promise<Caller> {
  const caller = await requireCaller(identity, request);
  await rejectEnded(identity, caller);
  return caller;
}

/** Throws `token_invalid` when the caller's sign-in was revoked or signed out. */
export async function rejectEnded(identity: Identity, { account, claims }: Caller): Promise<void> {
  if (await isEnded(identity, account, claims)) throw new Problem("token_invalid");
}

/**
 * Asks Firebase whether it has ended a sign-in, if Firebase keeps the accounts and there is a service account: only
 * Firebase knows of a changed password. Throws `token_invalid`, and `unavailable` when Firebase does not answer.
 */
export async function requireGoodAtFirebase(
  identity: Identity,
  { sub, auth_time }: Pick<Caller["claims"], "sub" | "auth_time">,
): Promise<void> {
  const admin = hasAdmin(identity) ? adminOf(identity) : null;
  if (admin && !(await admin.isSignInGood(sub, auth_time))) throw new Problem("token_invalid");
}
