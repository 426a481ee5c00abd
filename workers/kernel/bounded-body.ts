/**
 * The bytes of a request's body, read within a bound; null when there are more than `max_bytes`. A request without a body
 * gives none. Content-Length is not looked at: it may lie, and refusing on its word alone leaves the body unread, for
 * which workerd resets the connection.
 */
export async function readBounded(request: Request, max_bytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > max_bytes) return null;
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
