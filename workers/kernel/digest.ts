/** Creates hashes, random secrets and signatures. Comparisons take constant time, so that timing reveals nothing. */

export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toHex(new Uint8Array(digest));
}

/** Returns random bytes in base64url. 16 bytes are 128 bits. */
export function randomSecret(bytes = 16): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** Returns the HMAC-SHA-256 of a text under a key, in base64url. */
export async function signText(text: string, key: string): Promise<string> {
  const hmac = await importKey(key, ["sign"]);
  return toBase64Url(new Uint8Array(await crypto.subtle.sign("HMAC", hmac, new TextEncoder().encode(text))));
}

/** Whether {@link signText} made this signature from this text and key. Takes constant time. */
export async function verifySignature(text: string, signature: string, key: string): Promise<boolean> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = Uint8Array.from(atob(signature.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
  } catch {
    return false;
  }
  return crypto.subtle.verify("HMAC", await importKey(key, ["verify"]), bytes, new TextEncoder().encode(text));
}

function importKey(key: string, usages: ("sign" | "verify")[]): Promise<CryptoKey> {
  return crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(key),
    { name: "HMAC", hash: "SHA-256" },
    false,
    usages,
  );
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
