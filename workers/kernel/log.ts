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

/**
 * Logs an unexpected error: its name, its message, its stack, and the errors behind it. `more` says where it happened.
 */
export function logUnexpected(error: unknown, request_id: string, more: Record<string, string> = {}): void {
  const { message, stack, name } = error instanceof Error ? error : new Error(String(error));
  log("error", { message, request_id, ...more, name, ...answerOf(error), stack, causes: causesOf(error) });
}

/** How many errors behind one are logged. A chain of causes may be a circle, and an outage may fail many rows. */
const MAX_CAUSES = 10;
/** The calls of one error in a list of causes. */
const MAX_FRAMES = 6;

/**
 * Returns the errors behind an error, each with its first calls: its `cause`, the `errors` of an AggregateError, and the
 * `detail` of a lost connection to Stripe. Returns undefined when there are none, so that a line has no empty field.
 */
export function causesOf(error: unknown): string[] | undefined {
  const found = errorsBehind(error);
  // The loop also reads what it adds.
  for (const each of found) {
    if (found.length >= MAX_CAUSES) break;
    found.push(...errorsBehind(each).filter((deeper) => !found.includes(deeper)));
  }
  return found.length > 0 ? found.slice(0, MAX_CAUSES).map(describeError) : undefined;
}

/** Returns the messages of an error and of those behind it in one text, for a reader who sees no log. */
export function messagesOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // D1 repeats its words in the cause.
  const behind = errorsBehind(error)
    .map(messageToShow)
    .filter((text) => text && !message.includes(text));
  return [message, ...behind].join(": ");
}

/** The message of a JSON error quotes the text that was read, which may be a person's or a secret. */
const messageToShow = (error: Error) => (error instanceof SyntaxError ? error.name : error.message);

function errorsBehind(error: unknown): Error[] {
  if (!(error instanceof Error)) return [];
  const { cause, errors, detail } = error as Error & { errors?: unknown; detail?: unknown };
  return [cause, ...(Array.isArray(errors) ? errors : []), detail].filter((each) => each instanceof Error);
}

function describeError(error: Error): string {
  const { type, stack = "" } = error as Error & { type?: unknown };
  const name = typeof type === "string" ? type : error.name;
  const answer = Object.values(answerOf(error)).join(", ");
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return [`${name}: ${messageToShow(error)}${answer && ` (${answer})`}`, ...frames.slice(0, MAX_FRAMES)].join("\n");
}

/** Returns what an error of Stripe tells of its answer. The message of a 5xx may be empty. */
function answerOf(error: unknown): { code?: string; status?: number; answer_id?: string } {
  if (!(error instanceof Error)) return {};
  const { code, statusCode, requestId } = error as Error & Record<"code" | "statusCode" | "requestId", unknown>;
  return {
    ...(typeof code === "string" && code !== error.message && { code }),
    ...(typeof statusCode === "number" && { status: statusCode }),
    ...(typeof requestId === "string" && { answer_id: requestId }),
  };
}
