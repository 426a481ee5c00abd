/** The middle value of some figures, 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** A ratio between two figures, with what it should be. */
export interface Ratio {
  name: string;
  value: number;
  target: string;
  is_met: boolean;
}

/** What is judged is what is printed: two decimals. */
const rounded = (value: number) => Number(value.toFixed(2));

export function atLeast(name: string, value: number, least: number): Ratio {
  return { name, value: rounded(value), target: `>= ${least}`, is_met: rounded(value) >= least };
}

export function atMost(name: string, value: number, most: number): Ratio {
  return { name, value: rounded(value), target: `<= ${most}`, is_met: rounded(value) <= most };
}

/**
 * How well two kinds are told apart by such a figure: 0 by chance, 1 always. It is Cliff's delta, which the Mann-Whitney
 * test is made of, without its sign; of two alike kinds it is about 1 / sqrt(3 n / 2) for n figures of each by chance.
 */
export function advantage(one: readonly number[], other: readonly number[]): number {
  const sorted = [...one.map((value) => ({ value, of: 1 })), ...other.map((value) => ({ value, of: 0 }))].sort(
    (a, b) => a.value - b.value,
  );
  let ranks = 0;
  for (let first = 0; first < sorted.length; ) {
    let last = first;
    while (sorted[last + 1]?.value === sorted[first]?.value) last++;
    const rank = (first + last) / 2 + 1;
    for (; first <= last; first++) ranks += sorted[first]?.of ? rank : 0;
  }
  const u = ranks - (one.length * (one.length + 1)) / 2;
  return Math.abs((2 * u) / (one.length * other.length) - 1);
}
