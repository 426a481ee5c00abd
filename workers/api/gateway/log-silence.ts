import { causesOf, log } from "../../kernel/log.ts";

/**
 * Logs that a row of the clock's work waits because the gateway did not answer. During an outage that is one line of each
 * step in a minute. A row that is named again and again needs an operator: the gateway fails at this row each time.
 */
export function logSilence(row: string, error: unknown): void {
  log("warn", { message: "the gateway did not answer, and the row waits", row, causes: causesOf(error) });
}
