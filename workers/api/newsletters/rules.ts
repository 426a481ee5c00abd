/** How many newsletters a creator may send in a Japanese calendar month. Source: decisions, "States". */
const NEWSLETTERS_A_MONTH = 4;

/**
 * Returns how many more newsletters a person may send in a month in which `counted` are sent or scheduled. People who
 * are not creators may send none.
 */
export function countRemaining({ is_creator, counted }: { is_creator: boolean; counted: number }): number {
  return is_creator ? Math.max(0, NEWSLETTERS_A_MONTH - counted) : 0;
}
