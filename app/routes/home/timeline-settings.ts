/** Which posts the timeline shows. Source: spec section 3, follow list filter. */
const timelineFilters = ["all", "subscribing"] as const;
export type TimelineFilter = (typeof timelineFilters)[number];

export const isTimelineFilter = (value: unknown): value is TimelineFilter =>
  timelineFilters.some((filter) => filter === value);

/** The browser-stored key. Source: spec section 3. */
const KEY = "timelineSettings";

/** The filter chosen last in this browser; whatever else stands there is no choice. */
export function readTimelineFilter(): TimelineFilter {
  try {
    const { filter } = JSON.parse(localStorage.getItem(KEY) ?? "{}") as { filter?: unknown };
    return isTimelineFilter(filter) ? filter : "all";
  } catch {
    return "all";
  }
}

export function writeTimelineFilter(filter: TimelineFilter): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ filter }));
  } catch {
    // A browser that keeps nothing forgets this too.
  }
}
