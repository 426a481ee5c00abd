/**
 * Names that the script of overlays, pages, workers and the contract share. This file imports nothing, so that browsers
 * load no zod. docs/decisions/0045.
 */

/** Below this path are the pages of an overlay, and its events. The next segment is the token. */
export const OVERLAY_PATH = "/overlay/";

/** The letters that an overlay shows. */
export const SHOWN_LETTERS = ["all", "paid", "free"] as const;
/** How a letter comes and goes. */
export const OVERLAY_ANIMATIONS = ["fade", "slide", "pop", "none"] as const;
export const OVERLAY_SOUNDS = ["chime", "bell", "drop", "none"] as const;
export const VOICE_SPEEDS = ["slow", "normal", "fast"] as const;

/** An overlay that was silent for longer is not open any more. It says every 30 seconds that it is. */
export const OVERLAY_SILENCE_MS = 90_000;
/** An id of an overlay that begins so is that of a timeline. */
export const TIMELINE_ID_PREFIX = "timeline-";

/** The names of the server-sent events of an overlay. */
export const OVERLAY_EVENTS = {
  /** New letters, and what goes with them: `OverlayNews`. Its id is the number of the last letter. */
  news: "news",
  /** The settings have changed. */
  settings: "settings",
  /** The address is revoked. */
  gone: "gone",
} as const;
