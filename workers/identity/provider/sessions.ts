import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import { type IdentityClaims, TokenRefused } from "../../verifier/index.ts";
import { commit, type Identity } from "../storage/database.ts";
import type { Account, SignInProvider } from "../storage/schema.ts";
import { TOKEN_LIFE_S } from "../storage/signing-keys.ts";
import { findAccount, isSignedOut } from "./queries.ts";
import { Refusal } from "./refusal.ts";
import { isVoid } from "./rules.ts";
import { mintIdToken, type SignIn, verifyOwnIdToken } from "./tokens.ts";

/** Sign-ins: a refresh token, kept hashed, and the ID tokens made of it. */

const REFRESH_TOKEN_BYTES = 32;

export interface Session {
  refresh_token: string;
  token_hash: string;
  local_id: string;
  signIn: SignIn;
}

export async function newSession(
  { now }: Identity,
  local_id: string,
  sign_in_provider: SignInProvider,
): Promise<Session> {
  const refresh_token = randomSecret(REFRESH_TOKEN_BYTES);
  const signIn = { sign_in_provider, key_for_global_sign_out: randomSecret(), signed_in_at: now };
  return { refresh_token, token_hash: await sha256Hex(refresh_token), local_id, signIn };
}

/**
 * The statement that opens a session; its one row tells that it did. The account must still be as it was when the
 * person proved to own it: enabled, and of the same `valid_since`.
 */
export function openSession({ db, now }: Identity, session: Session, valid_since: string) {
  return db
    .insertInto("refresh_tokens")
    .columns(["token_hash", "local_id", "sign_in_provider", "key_for_global_sign_out", "signed_in_at", "last_used_at"])
    .expression((eb) =>
      eb
        .selectFrom("accounts")
        .select([
          eb.val(session.token_hash).as("token_hash"),
          "local_id",
          eb.val(session.signIn.sign_in_provider).as("sign_in_provider"),
          eb.val(session.signIn.key_for_global_sign_out).as("key_for_global_sign_out"),
          eb.val(session.signIn.signed_in_at).as("signed_in_at"),
          eb.val(now).as("last_used_at"),
        ])
        .where("local_id", "=", session.local_id)
        .where("valid_since", "=", valid_since)
        .where("disabled", "=", 0),
    )
    .returning("token_hash");
}

/** The token fields of every answer that signs somebody in. */
export async function sessionAnswer(identity: Identity, account: Account, session: Session) {
  return {
    idToken: await mintIdToken(identity, account, session.signIn),
    refreshToken: session.refresh_token,
    expiresIn: String(TOKEN_LIFE_S),
  };
}

/** The statement that revokes every refresh token of the account, provided `valid_since` was set to this moment. */
export function revokeSessions({ db, now }: Identity, local_id: string) {
  return db
    .updateTable("refresh_tokens")
    .set({ revoked_at: now })
    .where("revoked_at", "is", null)
    .where("local_id", "in", (eb) =>
      eb
        .selectFrom("accounts")
        .select("accounts.local_id")
        .where("accounts.local_id", "=", local_id)
        .where("accounts.valid_since", "=", now),
    );
}

/** A new ID token for a refresh token. Throws INVALID_REFRESH_TOKEN, TOKEN_EXPIRED (revoked), USER_DISABLED. */
export async function refresh(identity: Identity, refresh_token: string) {
  const { db, now } = identity;
  const token_hash = await sha256Hex(refresh_token);
  const [, [token], [account]] = await commit(
    identity,
    db
      .updateTable("refresh_tokens")
      .set({ last_used_at: now })
      .where("token_hash", "=", token_hash)
      .where("revoked_at", "is", null),
    db.selectFrom("refresh_tokens").selectAll().where("token_hash", "=", token_hash),
    db
      .selectFrom("accounts")
      .innerJoin("refresh_tokens", "refresh_tokens.local_id", "accounts.local_id")
      .selectAll("accounts")
      .where("token_hash", "=", token_hash),
  );
  if (!token || !account) throw new Refusal("INVALID_REFRESH_TOKEN");
  if (account.disabled) throw new Refusal("USER_DISABLED");
  if (token.revoked_at) throw new Refusal("TOKEN_EXPIRED");
  const id_token = await mintIdToken(identity, account, token);
  return {
    access_token: id_token,
    expires_in: String(TOKEN_LIFE_S),
    token_type: "Bearer",
    refresh_token,
    id_token,
    user_id: account.local_id,
    project_id: identity.env.PROJECT_ID,
  };
}

export interface Proof {
  account: Account;
  /** Seconds at which the person last signed in. */
  auth_time: number;
}

/** The account an ID token speaks for. Throws MISSING_ID_TOKEN, INVALID_ID_TOKEN, USER_NOT_FOUND and what stands below. */
export async function accountOfIdToken(identity: Identity, idToken: string | undefined): Promise<Proof> {
  if (!idToken) throw new Refusal("MISSING_ID_TOKEN");
  const claims = await verifyOwnIdToken(identity, idToken).catch((error: unknown) => {
    throw error instanceof TokenRefused ? new Refusal("INVALID_ID_TOKEN") : error;
  });
  const account = await findAccount(identity, claims.sub);
  if (!account) throw new Refusal("USER_NOT_FOUND");
  if (account.disabled) throw new Refusal("USER_DISABLED");
  if (await isEnded(identity, account, claims)) throw new Refusal("TOKEN_EXPIRED");
  return { account, auth_time: claims.auth_time };
}

/**
 * Whether the sign-in an ID token belongs to has been ended since. Such a token is good until it expires, but must not
 * change the account nor beget another sign-in.
 */
export async function isEnded(identity: Identity, account: Account, claims: IdentityClaims): Promise<boolean> {
  const { auth_time, keyForGlobalSignOut: key } = claims;
  return isVoid(auth_time, account) || (key !== undefined && (await isSignedOut(identity, account.local_id, key)));
}
