/** Logs an error nobody expected as one JSON line: its name, its message and where it arose, never what the request carried. */
export function logUnexpected(error: unknown, request_id: string): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  console.error(JSON.stringify({ level: "error", request_id, name, message, stack }));
}
