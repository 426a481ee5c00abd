import type { Transport } from "../../app/v4/call.ts";

/** How the edge worker itself calls the API, and keeps work running after the response. */
export interface Asking {
  transport: Omit<Transport, "token" | "limit">;
  waitUntil(promise: Promise<unknown>): void;
}
