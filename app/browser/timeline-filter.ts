/** The filter of the timeline: whose posts it shows. Source: spec section 3, Enumerations: follow list filter. */
export type TimelineFilter = "all" | "subscribing";

export const isTimelineFilter = (value: unknown): value is TimelineFilter => value === "all" || value === "subscribing";
