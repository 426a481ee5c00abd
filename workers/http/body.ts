import { readBounded } from "../kernel/bounded-body.ts";
import { parseBoundedJson } from "../kernel/bounded-json.ts";
import { Problem } from "../kernel/problem.ts";

/**
 * Reads the request's body as text. Does not trust its Content-Length.
 * Throws `payload_too_large` beyond `max_bytes`, and `bad_request` for bytes that are not UTF-8.
 */
export async function readText(request: Request, max_bytes: number): Promise<string> {
  const bytes = await readBounded(request, max_bytes);
  if (!bytes) throw new Problem("payload_too_large");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Problem("bad_request", { cause: error });
  }
}

/**
 * Reads the request's JSON. Throws as {@link readText} does, and `bad_request` for JSON that
 * {@link parseBoundedJson} refuses.
 */
export async function readJson(request: Request, max_bytes: number): Promise<{ text: string; json: unknown }> {
  const text = await readText(request, max_bytes);
  try {
    return { text, json: parseBoundedJson(text) };
  } catch (error) {
    throw new Problem("bad_request", { cause: error });
  }
}
