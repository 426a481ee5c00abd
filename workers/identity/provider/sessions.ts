import { isoTime } from "../../kernel/clock.ts";
import { randomSecret, sha256Hex, signText } from "../../kernel/digest.ts";
import { type IdentityClaims, signInIdOf, TokenRefused } from "../../verifier/index.ts";
import { commit, type Identity } from "../storage/database.ts";
import type { Account, SecondFactor, SignInProvider } from "../storage/schema.ts";
import { TOKEN_LIFE_S } from "../storage/signing-keys.ts";
import { findEndedMarks, marksOf } from "../watch/queries.ts";
import { notifySignedOut } from "../watch/tell.ts";
import { networkHash } from "./attempts.ts";
import { findAccount } from "./queries.ts";
import { Refusal } from "./refusal.ts";
import { isProofVoid, requireRecentSignIn } from "./rules.ts";
import { mintIdToken, type SignIn, verifyOwnIdToken } from "./tokens.ts";

/**
 * Sign-ins and their tokens. A refresh token is stored hashed and rotates: each use replaces it by its successor.
 * Source: RFC 9700, section 4.14.2.
 */

const REFRESH_TOKEN_BYTES = 32;
/** How long a used refresh token gets the same successor again, for tabs that refresh at the same time. */
const GRACE_MS = 60 * 1000;

export interface Session {
  refresh_token: string;
  token_hash: string;
  local_id: string;
  signIn: SignIn;
  /** The hash of the network from which the client signed in. */
  network_hash: string | null;
}

/** How and when the person authenticated. */
export interface ProofOfPerson {
  sign_in_provider: SignInProvider;
  second_factor?: { kind: SecondFactor; factor_id: string | null };
}

export async function newSession(identity: Identity, local_id: string, proof: ProofOfPerson): Promise<Session> {
  const refresh_token = randomSecret(REFRESH_TOKEN_BYTES);
  const signIn: SignIn = {
    sign_in_id: randomSecret(),
    sign_in_provider: proof.sign_in_provider,
    second_factor: proof.second_factor?.kind ?? null,
    second_factor_id: proof.second_factor?.factor_id ?? null,
    signed_in_at: identity.now,
  };
  const token_hash = await sha256Hex(refresh_token);
  const network_hash = await networkHash(identity);
  return { refresh_token, token_hash, local_id, signIn, network_hash };
}

/**
 * Returns the statements that open a session, in order. The first statement returns a row if the session was opened.
 * The account must be enabled and still have the `valid_since` of the proof.
 */
export function openSession({ db, now, client }: Identity, session: Session, valid_since: string) {
  const { signIn } = session;
  const { sign_in_id } = signIn;
  const opened = db
    .insertInto("sign_ins")
    .columns([
      "sign_in_id",
      "local_id",
      "sign_in_provider",
      "second_factor",
      "second_factor_id",
      "device",
      "signed_in_at",
      "last_used_at",
    ])
    .expression((eb) =>
      eb
        .selectFrom("accounts")
        .select([
          eb.val(sign_in_id).as("sign_in_id"),
          "local_id",
          eb.val(signIn.sign_in_provider).as("sign_in_provider"),
          eb.val(signIn.second_factor).as("second_factor"),
          eb.val(signIn.second_factor_id).as("second_factor_id"),
          eb.val(client.device).as("device"),
          eb.val(signIn.signed_in_at).as("signed_in_at"),
          eb.val(now).as("last_used_at"),
        ])
        .where("local_id", "=", session.local_id)
        .where("valid_since", "=", valid_since)
        .where("disabled", "=", 0),
    )
    .returning("sign_in_id");
  return [
    opened,
    insertToken({ db, now }, session.token_hash, sign_in_id),
    rememberNetwork({ db, now }, session),
  ] as const;
}

/** Returns the statement that stores the network of the sign-in, if the session was opened. */
function rememberNetwork({ db, now }: Pick<Identity, "db" | "now">, { signIn, network_hash }: Session) {
  return db
    .insertInto("known_networks")
    .columns(["local_id", "network_hash", "last_seen_at"])
    .expression((eb) =>
      eb
        .selectFrom("sign_ins")
        .select(["local_id", eb.val(network_hash ?? "").as("network_hash"), eb.val(now).as("last_seen_at")])
        .where("sign_in_id", "=", signIn.sign_in_id)
        .where(eb.val(network_hash), "is not", null),
    )
    .onConflict((conflict) => conflict.columns(["local_id", "network_hash"]).doUpdateSet({ last_seen_at: now }));
}

/** Returns the statement that adds a token to a sign-in, if the sign-in exists and has not ended. */
function insertToken({ db, now }: Pick<Identity, "db" | "now">, token_hash: string, sign_in_id: string) {
  return db
    .insertInto("refresh_tokens")
    .columns(["token_hash", "sign_in_id", "created_at"])
    .expression((eb) =>
      eb
        .selectFrom("sign_ins")
        .select([eb.val(token_hash).as("token_hash"), "sign_in_id", eb.val(now).as("created_at")])
        .where("sign_in_id", "=", sign_in_id)
        .where("revoked_at", "is", null),
    )
    .onConflict((conflict) => conflict.column("token_hash").doNothing());
}

/** Returns the tokens as every answer to a sign-in contains them. */
export async function sessionAnswer(
  identity: Identity,
  account: Account,
  session: Pick<Session, "signIn" | "refresh_token">,
) {
  return {
    idToken: await mintIdToken(identity, account, session.signIn),
    refreshToken: session.refresh_token,
    expiresIn: String(TOKEN_LIFE_S),
  };
}

/**
 * Opens a session for a person who passed every factor. Throws INVALID_LOGIN_CREDENTIALS when the account changed
 * meanwhile.
 */
export async function beginSession(identity: Identity, account: Account, proof: ProofOfPerson) {
  const { db, now } = identity;
  const session = await newSession(identity, account.local_id, proof);
  const [[opened]] = await commit(
    identity,
    ...openSession(identity, session, account.valid_since),
    db.updateTable("accounts").set({ last_sign_in_at: now }).where("local_id", "=", account.local_id),
  );
  // The account was disabled, deleted or given another password between the proof and this write.
  if (!opened) throw new Refusal("INVALID_LOGIN_CREDENTIALS");
  return sessionAnswer(identity, account, session);
}

/**
 * Issues new tokens for a sign-in that continues after a change of the account. The tokens carry the changed values;
 * the old refresh token rotates.
 */
export async function continueSession(identity: Identity, account: Account, claims: IdentityClaims) {
  const { db, now } = identity;
  const signIn = await db
    .selectFrom("sign_ins")
    .selectAll()
    .where("local_id", "=", account.local_id)
    .where("sign_in_id", "=", signInIdOf(claims))
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  if (!signIn) throw new Refusal("TOKEN_EXPIRED");
  const refresh_token = randomSecret(REFRESH_TOKEN_BYTES);
  const token_hash = await sha256Hex(refresh_token);
  await commit(
    identity,
    db
      .updateTable("refresh_tokens")
      .set({ rotated_at: now })
      .where("sign_in_id", "=", signIn.sign_in_id)
      .where("rotated_at", "is", null),
    insertToken(identity, token_hash, signIn.sign_in_id),
  );
  return sessionAnswer(identity, account, { refresh_token, signIn });
}

/** Returns the statement that ends every sign-in of the account, if `valid_since` was set to this moment. */
export function revokeSessions({ db, now }: Identity, local_id: string) {
  return db
    .updateTable("sign_ins")
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

/**
 * Returns a new ID token and the next refresh token. A token used again within a minute gets the same successor. A
 * token used again later counts as stolen, and its sign-in ends. Throws INVALID_REFRESH_TOKEN, TOKEN_EXPIRED (ended),
 * USER_DISABLED.
 */
export async function refresh(identity: Identity, refresh_token: string) {
  const { db, now, now_ms } = identity;
  const token_hash = await sha256Hex(refresh_token);
  const successor = await successorOf(identity, refresh_token);
  const successor_hash = await sha256Hex(successor);
  const grace_began = isoTime(now_ms - GRACE_MS);
  const family = db.selectFrom("refresh_tokens").select("sign_in_id").where("token_hash", "=", token_hash);
  const [, , [signIn], [account]] = await commit(
    identity,
    db
      .updateTable("sign_ins")
      .set({ revoked_at: now })
      .where("revoked_at", "is", null)
      .where("sign_in_id", "in", family.where("rotated_at", "<=", grace_began)),
    db
      .updateTable("sign_ins")
      .set({ last_used_at: now })
      .where("revoked_at", "is", null)
      .where("sign_in_id", "in", family),
    db.selectFrom("sign_ins").selectAll().where("sign_in_id", "in", family),
    db
      .selectFrom("accounts")
      .innerJoin("sign_ins", "sign_ins.local_id", "accounts.local_id")
      .selectAll("accounts")
      .where("sign_in_id", "in", family),
    db
      .insertInto("refresh_tokens")
      .columns(["token_hash", "sign_in_id", "created_at"])
      .expression((eb) =>
        eb
          .selectFrom("sign_ins")
          .select([eb.val(successor_hash).as("token_hash"), "sign_in_id", eb.val(now).as("created_at")])
          .where("revoked_at", "is", null)
          .where("sign_in_id", "in", family),
      )
      .onConflict((conflict) => conflict.column("token_hash").doNothing()),
    db
      .updateTable("refresh_tokens")
      .set({ rotated_at: now })
      .where("token_hash", "=", token_hash)
      .where("rotated_at", "is", null),
  );
  if (!signIn || !account) throw new Refusal("INVALID_REFRESH_TOKEN");
  if (account.disabled) throw new Refusal("USER_DISABLED");
  if (signIn.revoked_at || isProofVoid(Date.parse(signIn.signed_in_at) / 1000, account)) {
    notifySignedOut(identity, account.local_id);
    throw new Refusal("TOKEN_EXPIRED");
  }
  const id_token = await mintIdToken(identity, account, signIn);
  return {
    access_token: id_token,
    expires_in: String(TOKEN_LIFE_S),
    token_type: "Bearer",
    refresh_token: successor,
    id_token,
    user_id: account.local_id,
    project_id: identity.env.PROJECT_ID,
  };
}

/**
 * Derives the refresh token that follows this one. Repeated requests get the same token, and only the holder of the
 * secret can derive it.
 */
function successorOf({ env }: Identity, refresh_token: string): Promise<string> {
  return signText(`refresh token successor ${refresh_token}`, env.ENCRYPTION_KEY);
}

export interface Proof {
  account: Account;
  claims: IdentityClaims;
  /** When the person last signed in, in seconds. */
  auth_time: number;
}

/** Returns how the person of a token authenticated. */
export function proofOfClaims({ firebase }: IdentityClaims): ProofOfPerson {
  const { sign_in_provider = "custom", sign_in_second_factor: kind, second_factor_identifier } = firebase ?? {};
  return {
    sign_in_provider,
    ...(kind && { second_factor: { kind: kind as SecondFactor, factor_id: second_factor_identifier ?? null } }),
  };
}

/**
 * Throws CREDENTIAL_TOO_OLD_LOGIN_AGAIN unless the person signed in just now. A sign-in by custom token does not count:
 * any holder of an ID token can have a custom token made.
 */
export function requireRecentProof({ now_ms }: Identity, { claims, auth_time }: Proof): void {
  if (claims.firebase?.sign_in_provider === "custom") throw new Refusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN");
  requireRecentSignIn(auth_time, now_ms);
}

/**
 * Returns the account of an ID token. Throws MISSING_ID_TOKEN, INVALID_ID_TOKEN, USER_NOT_FOUND, USER_DISABLED,
 * TOKEN_EXPIRED.
 */
export async function accountOfIdToken(identity: Identity, idToken: string | undefined): Promise<Proof> {
  if (!idToken) throw new Refusal("MISSING_ID_TOKEN");
  const claims = await verifyOwnIdToken(identity, idToken).catch((error: unknown) => {
    throw error instanceof TokenRefused ? new Refusal("INVALID_ID_TOKEN") : error;
  });
  const account = await findAccount(identity, claims.sub);
  if (!account) throw new Refusal("USER_NOT_FOUND");
  if (account.disabled) throw new Refusal("USER_DISABLED");
  if (await isEnded(identity, account, claims)) throw new Refusal("TOKEN_EXPIRED");
  return { account, claims, auth_time: claims.auth_time };
}

/**
 * Returns true when the sign-in of an ID token has ended since. The token itself is valid until it expires, but must
 * not change the account or create another sign-in.
 */
export async function isEnded(identity: Identity, account: Account, claims: IdentityClaims): Promise<boolean> {
  if (isProofVoid(claims.auth_time, account)) return true;
  return (await findEndedMarks(identity, account.local_id, marksOf(claims))).length > 0;
}
