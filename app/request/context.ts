import { createContext } from "react-router";
import { type MaintenanceReading, NO_MAINTENANCE, readingAt } from "../../workers/contract/maintenance-status.ts";
import type { PausableFeature } from "../../workers/contract/paused-features.ts";
import type { Transport } from "../v4/call.ts";
import type { Refusal, V4 } from "../v4/client.ts";
import type { Kept } from "../v4/failure.ts";
import type { CookieJar } from "./cookies.ts";

export type Inadmissible = "unreadable_path" | "cross_site" | "too_large" | "not_a_form";

/**
 * The worker's services for one request of the app. Contains no binding, only what the app may do with the bindings.
 */
export interface Edge {
  request_id: string;
  /** Whether this deployment shows the pages that only developers should see (the local outbox). */
  is_demo: boolean;
  /** How the app calls the product API. */
  transport: Omit<Transport, "token" | "request_id">;
  /** Runs `work` after the answer is sent. Logs a failure under the name `what`, and a refusal by its code. */
  afterAnswer(what: string, work: () => Promise<unknown>): void;
}

export const edgeContext = createContext<Edge>();
export const jarContext = createContext<CookieJar>();
/** The product API, called as the viewer. */
export const v4Context = createContext<V4>();
/** Why this request may write nothing, neither to the product API nor to the identity service. Null if it may. */
export const refusedContext = createContext<Refusal | null>(null);
/** The reason why the worker rejected the request. The error boundary shows it. */
export const inadmissibleContext = createContext<Inadmissible | null>(null);
/** The state of maintenance when the request arrived. One request has one state, whatever the clock says later. */
export const maintenanceContext = createContext<MaintenanceReading>(readingAt(NO_MAINTENANCE, 0));
/** The features that operators have switched off. Pages say so above their forms (request/paused-notice.tsx). */
export const pausedContext = createContext<readonly PausableFeature[]>([]);
/** Seconds until a retry makes sense. The Retry-After header gets this value. */
export const retryAfterContext = createContext<number | null>(null);
/** Whether the page lacks a part that it should show. Such a page is never cached for other visitors. */
export const incompleteContext = createContext(false);
/** The CSP nonce of the scripts of a member's page. */
export const nonceContext = createContext<string>();
/** The fields of a form that could not be answered. The error boundary shows them, so that their text is not lost. */
export const keptContext = createContext<Kept | null>(null);
