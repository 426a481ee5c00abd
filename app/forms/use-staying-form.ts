import { type SubmissionResult, useForm } from "@conform-to/react";

/** The result of a successful submission: no errors. Without it, Conform would keep showing the old errors. */
const TAKEN: SubmissionResult<string[]> = {};

/**
 * Conform's `useForm` for a form whose page stays after a successful submission: clears the errors and keeps the typed
 * text.
 */
export function useStayingForm<Schema extends Record<string, unknown>>(
  options: Parameters<typeof useForm<Schema, Schema, string[]>>[0],
): ReturnType<typeof useForm<Schema, Schema, string[]>> {
  return useForm<Schema, Schema, string[]>({ ...options, lastResult: options.lastResult ?? TAKEN });
}
