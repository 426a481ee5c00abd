import { createHmac } from "node:crypto";
import { Secret, TOTP } from "otpauth/bare";

/** Codes that change with time, as authenticator apps make them. Sources: RFC 4226, RFC 6238. No storage. */

/** The settings that every app understands. */
export const TOTP_SETTINGS = { algorithm: "SHA1", digits: 6, period: 30 } as const;
/** A clock may be a step ahead or behind. */
const TOLERANCE_STEPS = 1;
/** As long as the hash (RFC 4226, section 4). */
const SECRET_BYTES = 20;

/** The HMAC of the platform: otpauth's bare build brings none. */
const hmac = (_algorithm: string, key: Uint8Array, message: Uint8Array) =>
  createHmac("sha1", key).update(message).digest();

/** A new secret in base32 without padding, as apps take it. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/**
 * The step whose code this is, among the present one and its neighbours; null for none. The comparison takes the same time
 * whichever digits are wrong.
 *
 * @param secret in base32.
 */
export function stepOfCode(secret: string, code: string, now_ms: number): number | null {
  const totp = new TOTP({ ...TOTP_SETTINGS, secret, hmac });
  const away = totp.validate({ token: code, timestamp: now_ms, window: TOLERANCE_STEPS });
  return away === null ? null : totp.counter({ timestamp: now_ms }) + away;
}
