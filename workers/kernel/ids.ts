/**
 * Ids are ULIDs in lower case: 48 bits of time make them sortable, and 80 random bits make them unguessable. Source:
 * https://github.com/ulid/spec (Crockford base32).
 */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;
const ID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** Creates an id. Ids sort by `now_ms`. */
export function newId(now_ms: number): string {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH));
  return timePartOf(now_ms) + Array.from(random, (byte) => ALPHABET[byte % 32]).join("");
}

/** Returns the lowest id that {@link newId} can create at a moment, so that a range of time is a range of ids. */
export function firstIdAt(ms: number): string {
  return timePartOf(ms) + "0".repeat(RANDOM_LENGTH);
}

/** Returns the moment at which {@link newId} created an id. */
export function creationOf(id: string): number {
  return Array.from(id.slice(0, TIME_LENGTH)).reduce((ms, digit) => ms * 32 + ALPHABET.indexOf(digit), 0);
}

function timePartOf(ms: number): string {
  let time = "";
  for (let rest = ms, place = 0; place < TIME_LENGTH; place++) {
    time = ALPHABET[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  return time;
}

/** Whether a text has the form of an id. Nothing with that id needs to exist. */
export function isId(text: string): boolean {
  return ID.test(text);
}
