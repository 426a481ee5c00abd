/** The receiving end of Web Push: what a browser and its push service know. Source: RFC 8188, RFC 8291. */

const CURVE = "P-256";
const toBase64Url = (bytes: ArrayBuffer | Uint8Array) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes as ArrayBuffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
const toText = (text: string) => new TextEncoder().encode(text);

/** Makes the keys of a deployment, as docs/operations.md does. */
export async function newVapidKeys() {
  const pair = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: CURVE }, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const { d = "" } = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey;
  const { kty, crv, x, y } = (await crypto.subtle.exportKey("jwk", pair.publicKey)) as JsonWebKey;
  const raw = (await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer;
  return { public_key: toBase64Url(raw), private_key: d, public_jwk: { kty, crv, x, y } as { kty: "EC" } };
}

export type PushReceiver = Awaited<ReturnType<typeof newPushReceiver>>;

/** Makes a browser with a subscription whose address ends with `name`. */
export async function newPushReceiver(name: string) {
  const pair = (await crypto.subtle.generateKey({ name: "ECDH", namedCurve: CURVE }, true, [
    "deriveBits",
  ])) as CryptoKeyPair;
  const public_bytes = new Uint8Array((await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer);
  const auth_bytes = crypto.getRandomValues(new Uint8Array(16));
  const endpoint = `https://updates.push.services.mozilla.com/wpush/v2/${name}`;
  const address = { endpoint, p256dh: toBase64Url(public_bytes), auth: toBase64Url(auth_bytes) };
  return { address, private_key: pair.privateKey, public_bytes, auth_bytes };
}

/** Decrypts the body of a push request, which is one record. */
export async function decryptPush(receiver: PushReceiver, body: Uint8Array): Promise<Record<string, string>> {
  const salt = body.slice(0, 16);
  const sender_bytes = body.slice(21, 86);
  const sender = await crypto.subtle.importKey("raw", sender_bytes, { name: "ECDH", namedCurve: CURVE }, false, []);
  // workerd's types call the field `$public`.
  const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: sender } as never, receiver.private_key, 256);
  const info = new Uint8Array([...toText("WebPush: info\0"), ...receiver.public_bytes, ...sender_bytes]);
  const secret = await deriveKey(shared, receiver.auth_bytes, info, 32);
  const key = await deriveKey(secret, salt, toText("Content-Encoding: aes128gcm\0"), 16);
  const iv = await deriveKey(secret, salt, toText("Content-Encoding: nonce\0"), 12);
  const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  const padded = new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, aes, body.slice(86)));
  return JSON.parse(new TextDecoder().decode(padded.slice(0, padded.lastIndexOf(2))));
}

async function deriveKey(
  secret: ArrayBuffer,
  salt: Uint8Array<ArrayBuffer>,
  info: Uint8Array<ArrayBuffer>,
  bytes: number,
) {
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  return crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, bytes * 8);
}
