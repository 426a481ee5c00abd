/** The events that a page sends to the collector (workers/web/collector.ts). */

export interface PageView {
  type: "page_view";
  /** The address of the page without query and fragment, which may contain personal data. */
  path: string;
  pattern: string;
}

export interface Vital {
  type: "web_vital";
  /** A measured web vital. Source: web.dev, Web Vitals. */
  name: "LCP" | "CLS" | "INP" | "FCP" | "TTFB";
  /** The measured value in milliseconds. For CLS it is a score. */
  value: number;
  pattern: string;
}

export interface ScriptError {
  type: "script_error";
  text: string;
  /** The file, line and column of the error. */
  place: string;
  pattern: string;
}

export type RumEvent = Vital | ScriptError;
export type BrowserEvent = PageView | RumEvent;

export interface EventBatch {
  /** The id of the build that rendered the page. */
  build: string;
  events: BrowserEvent[];
  /** How many events were discarded since the last batch that arrived. */
  dropped?: number;
}

/** The first segment of the collector's path. No creator's link_id equals it, because a link_id has no hyphen. */
export const EVENTS_PATH = "/browser-events";
