/** Webhooks that come late and twice, decided by a seed, so that a run can be repeated. */

/** Returns a number from 0 to 1 (exclusive) that depends on the texts alone. FNV-1a, then a final mix. */
function chanceOf(...texts: string[]): number {
  let hash = 0x811c9dc5;
  for (const char of texts.join("\0")) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Returns how many seconds late an event's first delivery is: with a seed 40 % are, a few of them by days. */
export function delayOf(seed: string, event_id: string): number {
  if (seed === "") return 0;
  const chance = chanceOf(seed, "delay", event_id);
  if (chance < 0.6) return 0;
  if (chance < 0.85) return Math.ceil((chance - 0.6) * 120);
  if (chance < 0.98) return Math.ceil((chance - 0.85) * 20_000);
  return 3 * 24 * 60 * 60;
}

/** Whether a delivered event comes once more: with a seed one in five does. */
export function comesTwice(seed: string, event_id: string): boolean {
  return seed !== "" && chanceOf(seed, "twice", event_id) < 0.2;
}
