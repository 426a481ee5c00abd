/**
 * Returns the cases that one of many equal subjects gets: `count` of them, others than its neighbours', so that all subjects
 * together get every case. What is the same code for every subject needs no more. With `EVERY_CASE` (tests/nightly.env) each
 * subject gets them all.
 */
export function shareOf<T>(cases: readonly T[], index: number, count: number): T[] {
  if (process.env.EVERY_CASE || count >= cases.length) return [...cases];
  return Array.from({ length: count }, (_, n) => cases[(index * count + n) % cases.length] as T);
}
