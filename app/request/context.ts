import { createContext } from "react-router";
import { type MaintenanceReading, NO_MAINTENANCE, readingAt } from "../../workers/contract/maintenance-status.ts";
import type { Transport } from "../v4/call.ts";
import type { V4 } from "../v4/client.ts";
import type { Kept } from "../v4/failure.ts";
import type { CookieJar } from "./cookies.ts";

export type Inadmissible = "unreadable_path" | "cross_site" | "too_large" | "not_a_form";

/** What the worker hands to the app for one request. It holds no binding, only what the app may do with the bindings. */
export interface Edge {
  request_id: string;
  /** Whether this deployment shows what only developers should see (the local outbox). */
  is_demo: boolean;
  /** The product API. */
  transport: Omit<Transport, "token" | "request_id">;
  /** Runs `work` after the answer is sent. A failure is logged under the name `what`; a refusal is logged by its code. */
  afterAnswer(what: string, work: () => Promise<unknown>): void;
}

export const edgeContext = createContext<Edge>();
export const jarContext = createContext<CookieJar>();
/** The product API, called as the viewer. */
export const v4Context = createContext<V4>();
/** Why the worker rejected the request; the error boundary shows it. */
export const inadmissibleContext = createContext<Inadmissible | null>(null);
/** The state of maintenance when the request arrived. One request has one state, whatever the clock says later. */
export const maintenanceContext = createContext<MaintenanceReading>(readingAt(NO_MAINTENANCE, 0));
/** Seconds until a retry makes sense; written as Retry-After. */
export const retryAfterContext = createContext<number | null>(null);
/** Whether the page lacks a part it should show. Such a page is never cached for others. */
export const incompleteContext = createContext(false);
/** The CSP nonce of the page's own scripts. */
export const nonceContext = createContext<string>();
/** The fields of a form that could not be answered; the error boundary shows them, so that they are not lost. */
export const keptContext = createContext<Kept | null>(null);
