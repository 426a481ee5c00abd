import { isoTime } from "../../kernel/clock.ts";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import type { Identity } from "../storage/database.ts";
import type { ChallengeKind } from "../storage/schema.ts";

/**
 * What was begun and waits for its second half. The browser holds a secret; kept are its hash and what is to be known when it
 * comes back. Wrong guesses are counted before they are looked at, so that parallel ones cannot slip past the limit together.
 */

const SECRET_BYTES = 32;
const MAX_FAILURES = 5;

/** What each kind keeps. */
export interface ChallengeDetails {
  /** A code was sent to a telephone. `for` ties it to what it was asked for: another call must not take it. */
  phone_code: {
    phone_number: string;
    code_hash: string;
    for: "sign_in" | "enrolment" | "second_factor";
    /** second_factor: the factor asked for, and the hash of the pending credential. */
    factor_id?: string;
    pending_hash?: string;
  };
  /** A secret was shown to be put into an app. */
  totp_enrolment: { sealed_secret: string };
  /** The first factor was proven: how, and as the account was then. */
  second_factor: { sign_in_provider: string; valid_since: string };
  /** The browser was sent to another provider. */
  federated: { provider_id: string; state: string; nonce: string; redirect_uri: string };
  /** Another provider told who this is, and an account has the address already. */
  pending_credential: { person: unknown };
  /** The developer identity provider's authorization code. */
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

/** A secret for a new challenge. */
export function newChallengeSecret(): string {
  return randomSecret(SECRET_BYTES);
}

/** The statement that keeps a challenge under its secret. */
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
 * Statements that write and leave nothing: a batch that changes something only for some addresses then waits for the disk for
 * all of them.
 */
export async function writeInVain(identity: Identity) {
  const secret = newChallengeSecret();
  const challenge = { kind: "pending_credential", local_id: null, detail: { person: null }, life_ms: 0 } as const;
  return [
    await insertChallenge(identity, secret, challenge),
    identity.db.deleteFrom("challenges").where("challenge_hash", "=", await sha256Hex(secret)),
  ] as const;
}

/** Keeps a challenge; gives its secret. */
export async function startChallenge<K extends ChallengeKind>(identity: Identity, challenge: NewChallenge<K>) {
  const secret = newChallengeSecret();
  await (await insertChallenge(identity, secret, challenge)).execute();
  return secret;
}

/**
 * Counts one guess and gives what it is about; null where there is no such challenge, it is over, or it was guessed at too often.
 * A right guess then takes it ({@link takeChallenge}).
 */
export async function guessAt<K extends ChallengeKind>(
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

/** Reads a challenge that stays; null as in {@link guessAt}. */
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

/** Uses a challenge up: of any number that come at once, one gets it. */
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

/** Whether there is such a challenge at all, over or not: its holder then reads "expired" and not "unknown". */
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
