import type { Limit } from "../storage/limits.ts";

/** Limits how fast one broadcaster writes captions. Fast speech is five sentences in ten seconds. */
export const CAPTION_LIMIT: Limit = { act: "radio_caption", times: 20, window_ms: 10_000 };
