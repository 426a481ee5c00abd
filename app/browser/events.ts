/** The events that a page sends to the collector (workers/web/collector.ts). */

export interface PageView {
  type: "page_view";
  /** Without query and fragment, which may contain personal data. */
  path: string;
  pattern: string;
}

export interface Vital {
  type: "web_vital";
  /** Source: web.dev, Web Vitals. */
  name: "LCP" | "CLS" | "INP" | "FCP" | "TTFB";
  /** In milliseconds; CLS is a score. */
  value: number;
  pattern: string;
}

export interface ScriptError {
  type: "script_error";
  text: string;
  /** File, line and column of the error. */
  place: string;
  pattern: string;
}

export type RumEvent = Vital | ScriptError;
export type BrowserEvent = PageView | RumEvent;

export interface EventBatch {
  /** The build that rendered the page. */
  build: string;
  events: BrowserEvent[];
  /** How many events were discarded since the last batch that arrived. */
  dropped?: number;
}

/** No creator's link_id equals this word, because a link_id has no hyphen. */
export const EVENTS_PATH = "/browser-events";
