import { CompactEncrypt, compactDecrypt } from "jose";

/** Encrypts secrets that the worker must read again, as a JWE (dir, A256GCM) under ENCRYPTION_KEY. */

/** Encrypts the text for its owner. {@link unseal} refuses it for any other owner. */
export async function seal(env: IdentityEnv, owner: string, text: string): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", sub: owner })
    .encrypt(await wrappingKey(env));
}

/** Decrypts the text sealed for this owner. Throws for another key or another owner. */
export async function unseal(env: IdentityEnv, owner: string, sealed: string): Promise<string> {
  const { plaintext, protectedHeader } = await compactDecrypt(sealed, await wrappingKey(env), {
    keyManagementAlgorithms: ["dir"],
    contentEncryptionAlgorithms: ["A256GCM"],
  });
  if (protectedHeader.sub !== owner) throw new Error("the sealed text belongs to another owner");
  return new TextDecoder().decode(plaintext);
}

/** Derives 256 bits from the secret. One hash is enough, because the secret is long and random. */
export async function wrappingKey(env: IdentityEnv): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(env.ENCRYPTION_KEY)));
}
