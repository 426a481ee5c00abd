import { z } from "zod";
import { type ErrorCode, errorCatalogue } from "./errors.ts";

const codes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]];

/** Every refusal's body, as application/problem+json. Source: RFC 9457; `code`, `errors`, `request_id` are ours. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.enum(codes),
  detail: z.string(),
  /** Japanese sentences by field name. */
  errors: z.record(z.string(), z.array(z.string())).optional(),
  request_id: z.string(),
});
export type ProblemJson = z.output<typeof problem>;

/** The catalogue's answer for a code. */
export function problemJson(code: ErrorCode, request_id: string, errors?: ProblemJson["errors"]): ProblemJson {
  const { status, detail } = errorCatalogue[code];
  return { type: `/docs/errors#${code}`, title: code.replaceAll("_", " "), status, code, detail, errors, request_id };
}
