export type LogLevel = "info" | "warn" | "error";

/** False where the code of a worker runs inside another program: when the demo world is made, and in models. */
const IS_WORKER = navigator.userAgent === "Cloudflare-Workers";
let worker = IS_WORKER ? "" : "runner";

/** Names the worker in every line that it logs. Each worker's entry calls this once. */
export function nameLogs(name: string): void {
  if (IS_WORKER) worker = name;
}

/**
 * Logs one line of JSON. docs/operations.md, "Logs", has the fields. A line never holds a token, an address, the content
 * of a request, or a path with ids. What is part of the usual only a worker logs, and not a test of its code.
 */
export function log(level: LogLevel, fields: { message: string; [name: string]: unknown }): void {
  if (level === "info" && !(IS_WORKER && worker)) return;
  const line = JSON.stringify({ time: new Date().toISOString(), level, worker, ...fields });
  if (level === "error") console.error(line);
  else if (level === "warn") console.warn(line);
  else console.log(line);
}

/** Logs an unexpected error: its name, its message and its stack. `more` says where it happened. */
export function logUnexpected(error: unknown, request_id: string, more: Record<string, string> = {}): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  log("error", { message, request_id, ...more, name, stack });
}
