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
