import { CompactEncrypt, type CryptoKey, compactDecrypt, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { randomSecret } from "../../kernel/digest.ts";
import type { Identity } from "./database.ts";
import { wrappingKey } from "./sealing.ts";

/**
 * The RS256 keys that sign tokens. A key is published a day before it signs, so that no verifier meets an unknown key.
 * It stays published until the last token it may have signed has expired.
 */

const DAY_MS = 24 * 60 * 60 * 1000;
const ROTATION_MS = 30 * DAY_MS;
export const PUBLISHED_AHEAD_MS = DAY_MS;
export const TOKEN_LIFE_S = 60 * 60;
/**
 * How long a replaced key stays published: until its last token has expired. The five minutes are for a worker that
 * read the old key just before the new one replaced it.
 */
const RETIREMENT_MS = (TOKEN_LIFE_S + 5 * 60) * 1000;

export interface SigningKey {
  kid: string;
  key: CryptoKey;
}

/** Returns the key that signs now, the same for every worker. Creates it on first use. */
export async function currentSigningKey(identity: Identity): Promise<SigningKey> {
  const stored = (await findCurrent(identity)) ?? (await createFirstKey(identity));
  const { plaintext } = await compactDecrypt(stored.sealed_private_jwk, await wrappingKey(identity.env));
  const key = await importJWK(JSON.parse(new TextDecoder().decode(plaintext)) as JWK, "RS256");
  if (key instanceof Uint8Array) throw new Error("the stored signing key is not an RSA key");
  return { kid: stored.kid, key };
}

/** Returns the public keys a verifier needs now, as a JWK set (RFC 7517). */
export async function publishedKeys(identity: Identity): Promise<{ keys: JWK[] }> {
  await ((await findCurrent(identity)) ?? createFirstKey(identity));
  const rows = await identity.db
    .selectFrom("signing_keys")
    .select("public_jwk")
    .where(({ not }) => not(isRetired(identity)))
    .orderBy("generation", "desc")
    .execute();
  return { keys: rows.map((row) => JSON.parse(row.public_jwk) as JWK) };
}

/** Creates the next key when the newest is 30 days old. */
export async function rotateWhenDue(identity: Identity): Promise<void> {
  const newest = await identity.db
    .selectFrom("signing_keys")
    .select(["generation", "created_at"])
    .orderBy("generation", "desc")
    .executeTakeFirst();
  if (!newest || newest.created_at > isoTime(identity.now_ms - ROTATION_MS)) return;
  await createKey(identity, newest.generation + 1, isoTime(identity.now_ms + PUBLISHED_AHEAD_MS));
}

/** Returns the statement that deletes keys whose tokens have all expired. */
export function purgeRetiredKeys(identity: Identity) {
  return identity.db.deleteFrom("signing_keys").where(isRetired(identity));
}

/** Returns a condition: a later key has signed for so long that no token of this one is valid. */
function isRetired({ now_ms }: Identity) {
  return sql<boolean>`EXISTS (SELECT 1 FROM signing_keys AS successor
    WHERE successor.generation > signing_keys.generation
    AND successor.signs_from <= ${isoTime(now_ms - RETIREMENT_MS)})`;
}

function findCurrent({ db, now }: Identity) {
  return db
    .selectFrom("signing_keys")
    .select(["kid", "sealed_private_jwk"])
    .where("signs_from", "<=", now)
    .orderBy("generation", "desc")
    .executeTakeFirst();
}

async function createFirstKey(identity: Identity) {
  await createKey(identity, 1, identity.now);
  // Another worker's key may be inserted first and dated after this request's clock. So order by generation, not by
  // time.
  return identity.db
    .selectFrom("signing_keys")
    .select(["kid", "sealed_private_jwk"])
    .orderBy("generation", "asc")
    .executeTakeFirstOrThrow();
}

/** Creates a generation's key. The first worker to insert it wins; the other workers discard theirs unused. */
async function createKey({ db, env, now }: Identity, generation: number, signs_from: string): Promise<void> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const kid = randomSecret();
  const sealed_private_jwk = await new CompactEncrypt(
    new TextEncoder().encode(JSON.stringify(await exportJWK(privateKey))),
  )
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(await wrappingKey(env));
  const public_jwk = JSON.stringify({ ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" });
  await db
    .insertInto("signing_keys")
    .values({ generation, kid, public_jwk, sealed_private_jwk, signs_from, created_at: now })
    .onConflict((conflict) => conflict.column("generation").doNothing())
    .execute();
}
