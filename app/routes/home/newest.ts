import type { EventSummary } from "../../../workers/contract/events.ts";

const SHOWN = 6;
const BY_ONE_CREATOR = 2;

/**
 * Chooses the newest posts. Limits the posts per creator, so that a creator who publishes ten at once does not fill the
 * list. Lifts the limit when there are too few other posts.
 */
export function chooseEvents(newest: readonly EventSummary[]): EventSummary[] {
  const by_creator = new Map<string, number>();
  const [chosen, rest]: [EventSummary[], EventSummary[]] = [[], []];
  for (const event of newest) {
    const count = (by_creator.get(event.user.user_id) ?? 0) + 1;
    by_creator.set(event.user.user_id, count);
    (count <= BY_ONE_CREATOR ? chosen : rest).push(event);
  }
  return [...chosen, ...rest].slice(0, SHOWN);
}
