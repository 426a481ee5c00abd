import { JSON_BYTES } from "../../contract/bounds.ts";
import { readBounded } from "../../kernel/bounded-body.ts";
import { parseBoundedJson } from "../../kernel/bounded-json.ts";
import { Problem } from "../../kernel/problem.ts";

/**
 * The request's JSON, read with a bound on its size whatever Content-Length claims.
 * Throws `payload_too_large`, `unsupported_media_type` or `bad_request` (broken UTF-8, broken or boundless JSON).
 */
export async function readJson(request: Request): Promise<{ text: string; json: unknown }> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    throw new Problem("unsupported_media_type");
  }
  const bytes = await readBounded(request, JSON_BYTES);
  if (!bytes) throw new Problem("payload_too_large");
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text, json: parseBoundedJson(text) };
  } catch (error) {
    throw new Problem("bad_request", { cause: error });
  }
}
