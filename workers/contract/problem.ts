import * as z from "zod";
import { type ErrorCode, errorCatalogue } from "./errors.ts";

const codes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]];

/**
 * The body of every refusal, as application/problem+json. Source: RFC 9457; `code`, `errors` and `request_id` are ours.
 */
export const problem = z
  .object({
    type: z.string().meta({ description: "このエラーの説明のある場所" }),
    title: z.string().meta({ description: "コードを言葉にしたもの（英語）" }),
    status: z.int().meta({ description: "HTTPステータス" }),
    code: z.enum(codes).meta({ id: "ErrorCode", description: "エラーコード。意味が変わることはない" }),
    detail: z.string().meta({ description: "そのまま表示できる文" }),
    /** Japanese sentences by field name. */
    errors: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .meta({ description: "項目ごとの、そのまま表示できる文" }),
    request_id: z.string().meta({ description: "問い合わせのときに伝える番号" }),
  })
  .meta({ id: "Problem", description: "エラー（RFC 9457）" });
export type ProblemJson = z.output<typeof problem>;

/** Returns the problem body for a code of the catalogue. */
export function problemJson(code: ErrorCode, request_id: string, errors?: ProblemJson["errors"]): ProblemJson {
  const { status, detail } = errorCatalogue[code];
  return { type: `/v4/docs#error-${code}`, title: code.replaceAll("_", " "), status, code, detail, errors, request_id };
}
