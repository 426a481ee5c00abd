import { type SubmissionResult, useForm } from "@conform-to/react";

/** Without an answer there is nothing wrong. Conform alone would go on showing what was, beside the news that all is saved. */
const TAKEN: SubmissionResult<string[]> = {};

/** `useForm` for a form whose page stays when it is taken: its errors go, what is typed in it stays. */
export function useStayingForm<Schema extends Record<string, unknown>>(
  options: Parameters<typeof useForm<Schema, Schema, string[]>>[0],
): ReturnType<typeof useForm<Schema, Schema, string[]>> {
  return useForm<Schema, Schema, string[]>({ ...options, lastResult: options.lastResult ?? TAKEN });
}
