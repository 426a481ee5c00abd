/** What a page tells the collector (workers/web/collector.ts), as it is sent. */

export interface PageView {
  type: "page_view";
  /** Without query and fragment: they may hold what is somebody's. */
  path: string;
  pattern: string;
}

export interface Vital {
  type: "web_vital";
  /** Source: web.dev, Web Vitals. */
  name: "LCP" | "CLS" | "INP" | "FCP" | "TTFB";
  /** Milliseconds; of CLS a score. */
  value: number;
  pattern: string;
}

export interface ScriptError {
  type: "script_error";
  text: string;
  /** File, line and column. */
  place: string;
  pattern: string;
}

export type RumEvent = Vital | ScriptError;
export type BrowserEvent = PageView | RumEvent;

export interface EventBatch {
  /** Of the code the page was made by. */
  build: string;
  events: BrowserEvent[];
  /** How many events were given up since the last batch that arrived. */
  dropped?: number;
}

/** Not a word a creator's link_id could be. */
export const EVENTS_PATH = "/browser-events";
