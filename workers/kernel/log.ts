/**
 * Logs an unexpected error as one line of JSON: its name, its message and its stack. Never logs the content
 * of the request.
 */
export function logUnexpected(error: unknown, request_id: string): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  console.error(JSON.stringify({ level: "error", request_id, name, message, stack }));
}
