/** Bodies as both rooms read them: bounded, UTF-8, and never trusted to say their own length. */

import { readBounded } from "../kernel/bounded-body.ts";
import { parseBoundedJson } from "../kernel/bounded-json.ts";

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
  const bytes = await readBounded(request, MAX_BODY_BYTES);
  if (!bytes) throw new BodyRefused("too_large");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new BodyRefused("malformed");
  }
}

/** The body as JSON. Throws {@link BodyRefused} as {@link readText} does, or where it is not JSON, or nested without end. */
export async function readJson(request: Request): Promise<unknown> {
  const text = await readText(request);
  try {
    return parseBoundedJson(text);
  } catch {
    throw new BodyRefused("malformed");
  }
}
