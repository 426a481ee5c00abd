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

export function atLeast(name: string, value: number, least: number): Ratio {
  return { name, value: Number(value.toFixed(2)), target: `>= ${least}`, is_met: value >= least };
}

export function atMost(name: string, value: number, most: number): Ratio {
  return { name, value: Number(value.toFixed(2)), target: `<= ${most}`, is_met: value <= most };
}
