export type Random = {
  /** Returns a number from 0 (included) to 1 (excluded). */
  next(): number;
  between(low: number, high: number): number;
  chance(probability: number): boolean;
};

/** Makes a seeded random generator (mulberry32 over an FNV-1a hash), so that pictures are the same in every run. */
export function createRandom(seed: string): Random {
  let state = 2166136261;
  for (let i = 0; i < seed.length; i += 1) {
    state = Math.imul(state ^ seed.charCodeAt(i), 16777619);
  }
  const nextNumber = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next: nextNumber,
    between: (low, high) => low + (high - low) * nextNumber(),
    chance: (probability) => nextNumber() < probability,
  };
}
