/** Newsletters a creator may send in a Japanese calendar month. Source: decisions, "States". */
const NEWSLETTERS_A_MONTH = 4;

/** How many may still be sent in a month for which so many have gone out or are scheduled: none by those who do not create. */
export function remainingCount({ is_creator, counted }: { is_creator: boolean; counted: number }): number {
  return is_creator ? Math.max(0, NEWSLETTERS_A_MONTH - counted) : 0;
}
