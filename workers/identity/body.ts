/** Bodies as both rooms read them: bounded, UTF-8, and never trusted to say their own length. */

const MAX_BODY_BYTES = 64 * 1024;

export class BodyRefused extends Error {
  override name = "BodyRefused";
  readonly reason: "too_large" | "malformed";

  constructor(reason: "too_large" | "malformed") {
    super(reason);
    this.reason = reason;
  }
}

/** The body as text. Throws {@link BodyRefused} past 64 kB or where it is not UTF-8. */
export async function readText(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > MAX_BODY_BYTES) throw new BodyRefused("too_large");
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new BodyRefused("malformed");
  }
}

/** The body as JSON. Throws {@link BodyRefused} as {@link readText} does, or where it is not JSON. */
export async function readJson(request: Request): Promise<unknown> {
  const text = await readText(request);
  try {
    return JSON.parse(text);
  } catch {
    throw new BodyRefused("malformed");
  }
}
