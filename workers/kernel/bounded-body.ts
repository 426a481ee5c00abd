/**
 * Reads the body of a request; returns null when it has more than `max_bytes`. A request without a body gives no bytes.
 * The function ignores Content-Length: the header may be wrong, and workerd resets the connection when a request is
 * refused with its body unread.
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
