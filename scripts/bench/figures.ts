/** Returns the median, or 0 of no values. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** Returns the time within which a share of the requests was answered: 0.99 is p99. The times are in ascending order. */
export function timeAtShare(sorted_ms: readonly number[], share: number): number {
  return Number((sorted_ms[Math.ceil(share * sorted_ms.length) - 1] ?? 0).toFixed(1));
}

/** A ratio between two figures, with its target. */
export interface Ratio {
  name: string;
  value: number;
  target: string;
  is_met: boolean;
}

/** Rounds to the two decimals that are printed, so that the target applies to the printed value. */
const roundFigure = (value: number) => Number(value.toFixed(2));

export function atLeast(name: string, value: number, least: number): Ratio {
  return { name, value: roundFigure(value), target: `>= ${least}`, is_met: roundFigure(value) >= least };
}

export function atMost(name: string, value: number, most: number): Ratio {
  return { name, value: roundFigure(value), target: `<= ${most}`, is_met: roundFigure(value) <= most };
}

/**
 * Returns how well the figure separates two kinds of answers: 0 like chance, 1 always. It is the absolute value of
 * Cliff's delta, on which the Mann-Whitney test is based. For two identical kinds it is by chance about 1 / sqrt(3 n /
 * 2), with n figures of each.
 */
export function advantageOf(one: readonly number[], other: readonly number[]): number {
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
