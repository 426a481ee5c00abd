const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * Makes a new id for a draft, in the format of the API's ids: a lower-case ULID. Source: https://github.com/ulid/spec.
 */
export function newDraftId(now_ms = Date.now()): string {
  const time = Array.from({ length: 10 }, (_, place) => ALPHABET[Math.floor(now_ms / 32 ** (9 - place)) % 32]);
  const random = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => ALPHABET[byte % 32]);
  return [...time, ...random].join("");
}
