import { Problem } from "../../kernel/problem.ts";

/** Enough for the longest text the API takes, escaped. */
const MAX_JSON_BYTES = 512 * 1024;

/**
 * The request's JSON, read with a bound on its size whatever Content-Length claims.
 * Throws `payload_too_large`, `unsupported_media_type` or `bad_request` (broken UTF-8, broken JSON).
 */
export async function readJson(request: Request): Promise<{ text: string; json: unknown }> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    throw new Problem("unsupported_media_type");
  }
  const bytes = await readBounded(request);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text, json: JSON.parse(text) };
  } catch (error) {
    throw new Problem("bad_request", { cause: error });
  }
}

async function readBounded(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_JSON_BYTES) throw new Problem("payload_too_large");
  if (!request.body) throw new Problem("bad_request");
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.byteLength;
    if (length > MAX_JSON_BYTES) throw new Problem("payload_too_large");
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
