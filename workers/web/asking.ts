import type { Transport } from "../../app/v4/call.ts";

/** How the API is asked by the edge itself, and what may go on when the answer has been given. */
export interface Asking {
  transport: Omit<Transport, "token" | "limit">;
  waitUntil(promise: Promise<unknown>): void;
}
