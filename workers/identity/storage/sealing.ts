import { CompactEncrypt, compactDecrypt } from "jose";

/** What must be read again and by nobody else: kept as a JWE (dir, A256GCM) under ENCRYPTION_KEY. */

/** Seals the text for its owner; {@link unseal} takes it for nobody else's. */
export async function seal(env: IdentityEnv, owner: string, text: string): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", sub: owner })
    .encrypt(await wrappingKey(env));
}

/** The text sealed for this owner. Throws where it was made with another key or for somebody else. */
export async function unseal(env: IdentityEnv, owner: string, sealed: string): Promise<string> {
  const { plaintext, protectedHeader } = await compactDecrypt(sealed, await wrappingKey(env), {
    keyManagementAlgorithms: ["dir"],
    contentEncryptionAlgorithms: ["A256GCM"],
  });
  if (protectedHeader.sub !== owner) throw new Error("what was sealed is another's");
  return new TextDecoder().decode(plaintext);
}

/** 256 bits out of the secret, which is long and random itself, so one hash is enough. */
export async function wrappingKey(env: IdentityEnv): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(env.ENCRYPTION_KEY)));
}
