/** Enough for the longest form the app has: a letter far over its limit still comes back to its writer. */
const MAX_FORM_BYTES = 512 * 1024;

/** The request with its body read within bounds, whatever Content-Length claims; null when it is larger than that. */
export async function boundBody(request: Request): Promise<Request | null> {
  if (!request.body) return request;
  if (Number(request.headers.get("content-length") ?? 0) > MAX_FORM_BYTES) return null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.byteLength;
    if (length > MAX_FORM_BYTES) return null;
    chunks.push(chunk);
  }
  return new Request(request, { body: new Blob(chunks as Uint8Array<ArrayBuffer>[]) });
}
