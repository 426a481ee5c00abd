/** Codes that change with time, as authenticator apps make them. Sources: RFC 4226, RFC 6238. No storage. */

/** What every app understands: SHA-1, six digits, thirty seconds. */
export const TOTP = { digits: 6, period_s: 30, algorithm: "SHA1" } as const;
/** A clock may be a step ahead or behind. */
const TOLERANCE_STEPS = 1;

/** The code of a counter (RFC 4226, section 5.3). */
export async function hotp(secret: Uint8Array<ArrayBuffer>, counter: number, digits: number): Promise<string> {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-1" }, false, ["sign"]);
  const message = new DataView(new ArrayBuffer(8));
  message.setBigUint64(0, BigInt(counter));
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, message.buffer));
  const offset = mac.getUint8(mac.byteLength - 1) & 0xf;
  const truncated = mac.getUint32(offset) & 0x7f_ff_ff_ff;
  return String(truncated % 10 ** digits).padStart(digits, "0");
}

/** The number of the step that holds this moment. */
export function stepAt(now_ms: number): number {
  return Math.floor(now_ms / 1000 / TOTP.period_s);
}

/** The step whose code this is, among the present one and its neighbours; null for none. Looks at all of them each time. */
export async function stepOfCode(
  secret: Uint8Array<ArrayBuffer>,
  code: string,
  now_ms: number,
): Promise<number | null> {
  let found: number | null = null;
  for (let away = -TOLERANCE_STEPS; away <= TOLERANCE_STEPS; away++) {
    const step = stepAt(now_ms) + away;
    if (step >= 0 && (await hotp(secret, step, TOTP.digits)) === code) found = step;
  }
  return found;
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Base32 without padding (RFC 4648, section 6), as apps take a secret. */
export function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

/** The bytes of what {@link toBase32} wrote. */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> {
  const bits = Array.from(text, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (eight) => Number.parseInt(eight, 2));
}

const SECRET_BYTES = 20;

/** A new secret of 160 bits, as long as the hash (RFC 4226, section 4). */
export function newTotpSecret(): string {
  return toBase32(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
}
