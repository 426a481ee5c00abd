import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import { randomSecret } from "../../kernel/digest.ts";
import type { Identity } from "../storage/database.ts";
import { seal, unseal } from "../storage/sealing.ts";

/** The id of the developer identity provider's only RS256 key. The key is created on first use. */

const KEY_ID = 1;
const OWNER = "developer identity provider";

export async function developerSigningKey(identity: Identity): Promise<{ kid: string; key: CryptoKey }> {
  const { public_jwk, sealed_private_jwk } = await findOrCreateKey(identity);
  const private_jwk = JSON.parse(await unseal(identity.env, OWNER, sealed_private_jwk)) as JWK;
  const key = await importJWK(private_jwk, "RS256");
  if (key instanceof Uint8Array) throw new Error("the stored key is not an RSA key");
  return { kid: String((JSON.parse(public_jwk) as JWK).kid), key };
}

/** Returns the public key as a JWK set (RFC 7517). */
export async function developerKeySet(identity: Identity): Promise<{ keys: JWK[] }> {
  const { public_jwk } = await findOrCreateKey(identity);
  return { keys: [JSON.parse(public_jwk) as JWK] };
}

async function findOrCreateKey(identity: Identity) {
  const { db, env, now } = identity;
  const findKey = () => db.selectFrom("developer_keys").selectAll().where("key_id", "=", KEY_ID);
  const known = await findKey().executeTakeFirst();
  if (known) return known;
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const kid = randomSecret();
  await db
    .insertInto("developer_keys")
    .values({
      key_id: KEY_ID,
      public_jwk: JSON.stringify({ ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" }),
      sealed_private_jwk: await seal(env, OWNER, JSON.stringify(await exportJWK(privateKey))),
      created_at: now,
    })
    .onConflict((conflict) => conflict.column("key_id").doNothing())
    .execute();
  return findKey().executeTakeFirstOrThrow();
}
