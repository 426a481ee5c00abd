import { Problem } from "./problem.ts";

/** A service binding. */
interface Worker {
  fetch(url: string, init?: RequestInit): Promise<Response>;
}

/**
 * Calls another worker. Throws `unavailable` when the platform does not bring the call there: that is an outage, for which
 * nothing is given up.
 */
export async function askWorker(worker: Worker, url: string, init?: RequestInit): Promise<Response> {
  try {
    return await worker.fetch(url, init);
  } catch (cause) {
    return throwUnavailable(cause);
  }
}

/** Throws `unavailable` for a failed call of another worker or of a Durable Object. */
export function throwUnavailable(cause: unknown): never {
  throw new Problem("unavailable", { cause });
}
