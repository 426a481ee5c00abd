import { isoTime } from "../../kernel/clock.ts";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import type { Identity } from "../storage/database.ts";
import type { ChallengeKind } from "../storage/schema.ts";

/**
 * A challenge is the first half of an act that the browser must finish, for example by sending a code. The browser
 * holds a secret; the database keeps the secret's hash and the details. Wrong guesses are counted before they are
 * checked, so that parallel guesses cannot pass the limit together.
 */

const SECRET_BYTES = 32;
const MAX_FAILURES = 5;

/** The details that each kind stores. */
export interface ChallengeDetails {
  /** A code was sent to a telephone. `for` names the call that asked for it; other calls must refuse it. */
  phone_code: {
    phone_number: string;
    code_hash: string;
    for: "sign_in" | "enrolment" | "second_factor";
    /** The factor, and the hash of the pending credential. Present only if `for` is `second_factor`. */
    factor_id?: string;
    pending_hash?: string;
  };
  /** The page showed a TOTP secret, which the person adds to an authenticator app. */
  totp_enrolment: { sealed_secret: string };
  /** This provider has proven the first factor, while the account had this `valid_since`. */
  second_factor: { sign_in_provider: string; valid_since: string };
  /** The browser was sent to another identity provider. */
  federated: { provider_id: string; state: string; nonce: string; redirect_uri: string };
  /** Another provider identified the person, but an account with the same address exists. */
  pending_credential: { person: unknown };
  /** The developer identity provider has issued an authorization code. */
  developer_code: { provider_id: string; redirect_uri: string; nonce: string | null; person: unknown };
}

export interface NewChallenge<K extends ChallengeKind> {
  kind: K;
  local_id: string | null;
  detail: ChallengeDetails[K];
  life_ms: number;
}

export interface Challenge<K extends ChallengeKind> {
  challenge_hash: string;
  local_id: string | null;
  detail: ChallengeDetails[K];
}

/** Returns a new random secret for a challenge. */
export function newChallengeSecret(): string {
  return randomSecret(SECRET_BYTES);
}

/** Returns the statement that stores a challenge under the hash of its secret. */
export async function insertChallenge<K extends ChallengeKind>(
  { db, now, now_ms }: Identity,
  secret: string,
  { kind, local_id, detail, life_ms }: NewChallenge<K>,
) {
  return db.insertInto("challenges").values({
    challenge_hash: await sha256Hex(secret),
    kind,
    local_id,
    detail: JSON.stringify(detail),
    expires_at: isoTime(now_ms + life_ms),
    created_at: now,
  });
}

/**
 * Returns statements that write rows and delete them again. They make a batch for an unknown address take as long as
 * for a known one.
 */
export async function writeDecoys(identity: Identity) {
  const secret = newChallengeSecret();
  const challenge = { kind: "pending_credential", local_id: null, detail: { person: null }, life_ms: 0 } as const;
  return [
    await insertChallenge(identity, secret, challenge),
    identity.db.deleteFrom("challenges").where("challenge_hash", "=", await sha256Hex(secret)),
  ] as const;
}

/** Stores a challenge. Returns its secret. */
export async function startChallenge<K extends ChallengeKind>(identity: Identity, challenge: NewChallenge<K>) {
  const secret = newChallengeSecret();
  await (await insertChallenge(identity, secret, challenge)).execute();
  return secret;
}

/**
 * Counts one guess and returns the challenge. Returns null when it is unknown, expired or guessed too often.
 * After a right guess, the caller uses it up with {@link takeChallenge}.
 */
export async function countGuess<K extends ChallengeKind>(
  { db, now }: Identity,
  kind: K,
  secret: string,
): Promise<Challenge<K> | null> {
  const row = await db
    .updateTable("challenges")
    .set((eb) => ({ failures: eb("failures", "+", 1) }))
    .where("challenge_hash", "=", await sha256Hex(secret))
    .where("kind", "=", kind)
    .where("failures", "<", MAX_FAILURES)
    .where("expires_at", ">", now)
    .returning(["challenge_hash", "local_id", "detail"])
    .executeTakeFirst();
  return row ? challengeOf(row) : null;
}

/** Reads a challenge without counting a guess. Returns null as {@link countGuess} does. */
export async function readChallenge<K extends ChallengeKind>(
  { db, now }: Identity,
  kind: K,
  secret: string,
): Promise<Challenge<K> | null> {
  const row = await db
    .selectFrom("challenges")
    .select(["challenge_hash", "local_id", "detail"])
    .where("challenge_hash", "=", await sha256Hex(secret))
    .where("kind", "=", kind)
    .where("failures", "<", MAX_FAILURES)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return row ? challengeOf(row) : null;
}

/** Uses a challenge up. If several calls run in parallel, only one of them gets the challenge. */
export async function takeChallenge<K extends ChallengeKind>(
  { db, now }: Identity,
  kind: K,
  secret: string,
): Promise<Challenge<K> | null> {
  const row = await db
    .deleteFrom("challenges")
    .where("challenge_hash", "=", await sha256Hex(secret))
    .where("kind", "=", kind)
    .where("expires_at", ">", now)
    .returning(["challenge_hash", "local_id", "detail"])
    .executeTakeFirst();
  return row ? challengeOf(row) : null;
}

/** Returns true for a challenge that exists, even if expired. Its holder then gets "expired" instead of "unknown". */
export async function isKnownChallenge({ db }: Identity, kind: ChallengeKind, secret: string): Promise<boolean> {
  const row = await db
    .selectFrom("challenges")
    .select("challenge_hash")
    .where("challenge_hash", "=", await sha256Hex(secret))
    .where("kind", "=", kind)
    .executeTakeFirst();
  return row !== undefined;
}

function challengeOf<K extends ChallengeKind>(row: {
  challenge_hash: string;
  local_id: string | null;
  detail: string;
}): Challenge<K> {
  return { ...row, detail: JSON.parse(row.detail) as ChallengeDetails[K] };
}
