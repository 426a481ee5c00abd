/** Which creators the timeline shows. Source: spec section 3, Enumerations: follow list filter. */
export type TimelineFilter = "all" | "subscribing";

export const isTimelineFilter = (value: unknown): value is TimelineFilter => value === "all" || value === "subscribing";
