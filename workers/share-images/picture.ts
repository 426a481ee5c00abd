/**
 * The largest picture that is drawn. An icon has about 50 kB, a cover 300 kB. The worker holds the whole picture in
 * memory.
 */
const MAX_BYTES = 4 * 1024 * 1024;

/** Converts a picture to a data URL for SVG; null when the picture cannot be drawn here. */
export async function pictureOf(part: File | string | null): Promise<string | null> {
  if (!part || typeof part === "string" || part.size > MAX_BYTES) return null;
  const bytes = Buffer.from(await part.arrayBuffer());
  const type = typeOf(bytes);
  return type && `data:${type};base64,${bytes.toString("base64")}`;
}

/** Detects the type by the first bytes. The declared type proves nothing. */
function typeOf(bytes: Buffer): string | null {
  if (bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))) return "image/png";
  return bytes.subarray(0, 3).equals(Buffer.from("\xff\xd8\xff", "latin1")) ? "image/jpeg" : null;
}
