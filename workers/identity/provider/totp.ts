import { createHmac } from "node:crypto";
import { Secret, TOTP } from "otpauth/bare";

/** Time-based one-time passwords of authenticator apps. Sources: RFC 4226, RFC 6238. It reads no storage. */

/** The TOTP settings that every app understands. */
export const TOTP_SETTINGS = { algorithm: "SHA1", digits: 6, period: 30 } as const;
/** How many steps the app's clock may be ahead or behind. */
export const TOLERANCE_STEPS = 1;
/** The length of a secret: as long as the hash's output (RFC 4226, section 4). */
const SECRET_BYTES = 20;

/** Computes the HMAC with the platform's crypto, because otpauth's bare build has none. */
const hmac = (_algorithm: string, key: Uint8Array, message: Uint8Array) =>
  createHmac("sha1", key).update(message).digest();

/** Returns a new secret in base32 without padding, which apps expect. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** Returns the time step of a moment. */
export const stepAt = (ms: number) => TOTP.counter({ period: TOTP_SETTINGS.period, timestamp: ms });

/**
 * Returns the code's time step: the present one or a neighbour. Returns null for a wrong code. The comparison takes
 * constant time.
 * @param secret in base32.
 */
export function stepOfCode(secret: string, code: string, now_ms: number): number | null {
  const totp = new TOTP({ ...TOTP_SETTINGS, secret, hmac });
  const away = totp.validate({ token: code, timestamp: now_ms, window: TOLERANCE_STEPS });
  return away === null ? null : stepAt(now_ms) + away;
}
