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
  if (hasAdmin(identity) && !claims.keyForGlobalSignOut) sendKeyToFirebase(identity, account);
  return { account, claims };
}

/** Like {@link requireSignedInCaller}, but returns null without a token. */
export async function optionalCaller(identity: Identity, request: Request): Promise<Caller | null> {
  return request.headers.has("authorization") ? requireSignedInCaller(identity, request) : null;
}

/** Accounts whose sign-out key this worker has sent to Firebase. Keeps the newest thousand. */
const sent_accounts = new Set<string>();
const MAX_SENT_ACCOUNTS = 1000;

/**
 * Tells Firebase to put the account's key into the tokens it issues from now on. The call runs after the answer; the
 * next request retries a failed call.
 */
function sendKeyToFirebase(identity: Identity, { local_id, key_for_global_sign_out: key }: Account): void {
  if (!key || sent_accounts.has(local_id)) return;
  sent_accounts.add(local_id);
  const [oldest = ""] = sent_accounts;
  if (sent_accounts.size > MAX_SENT_ACCOUNTS) sent_accounts.delete(oldest);
  const claimed = adminOf(identity)?.setClaim(local_id, "keyForGlobalSignOut", key);
  if (!claimed) return;
  waitUntil(
    claimed.catch((error) => {
      sent_accounts.delete(local_id);
      logUnexpected(error.cause ?? error, `key-${crypto.randomUUID()}`);
    }),
  );
}

/**
 * Like {@link requireCaller}, but also refuses, as `token_invalid`, a token whose sign-in was revoked or signed out.
 */
export async function requireSignedInCaller(identity: Identity, request: Request): Promise<Caller> {
  const caller = await requireCaller(identity, request);
  if (await isEnded(identity, caller.account, caller.claims)) throw new Problem("token_invalid");
  return caller;
}

/**
 * Like {@link requireSignedInCaller}, but also asks Firebase about an account that Firebase keeps, if there is a
 * service account: only Firebase knows of a changed password. Throws the problem `unavailable` when Firebase does not
 * answer.
 */
export async function requireLiveCaller(identity: Identity, request: Request): Promise<Caller> {
  const caller = await requireSignedInCaller(identity, request);
  await requireGoodAtFirebase(identity, caller.claims);
  return caller;
}

/**
 * Asks Firebase whether it has ended a sign-in, if Firebase keeps the accounts and there is a service account. Throws
 * `token_invalid`, and `unavailable` when Firebase does not answer.
 */
export async function requireGoodAtFirebase(
  identity: Identity,
  { sub, auth_time }: Pick<Caller["claims"], "sub" | "auth_time">,
): Promise<void> {
  const admin = hasAdmin(identity) ? adminOf(identity) : null;
  if (admin && !(await admin.isSignInGood(sub, auth_time))) throw new Problem("token_invalid");
}
