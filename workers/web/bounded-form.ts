import type { Inadmissible } from "../../app/request/context.ts";
import { boundaryOf } from "../contract/multipart.ts";

/**
 * The maximum number of fields, which is more than any of our forms has: a post describes 100 pictures, a draft keeps
 * 150 fields.
 */
const MAX_FIELDS = 500;
/** The longest field name of our own forms, with an id at its end, is shorter. */
const MAX_NAME_LENGTH = 64;

/**
 * Parses a form of bounded size. A field costs far more memory than its bytes, so this counts fields before parsing. It
 * limits the length of names, because some parsers read a name as a path.
 *
 * @returns the form, or the reason why the app must not see it.
 */
export async function parseBoundedForm(
  body: Uint8Array<ArrayBuffer>,
  content_type: string | null,
): Promise<FormData | Extract<Inadmissible, "not_a_form" | "too_large">> {
  if (hasTooManySeparators(body, content_type)) return "too_large";
  let form: FormData;
  try {
    form = await new Response(body, { headers: { "content-type": content_type ?? "" } }).formData();
  } catch {
    return "not_a_form";
  }
  const names = [...form.keys()];
  if (names.length > MAX_FIELDS) return "too_large";
  return names.some((name) => name.length > MAX_NAME_LENGTH) ? "not_a_form" : form;
}

/** Returns true when the body may have more fields than any form of ours. Does not parse it. */
function hasTooManySeparators(body: Uint8Array, content_type: string | null): boolean {
  const boundary = boundaryOf(content_type);
  // Latin 1 maps every byte to one character.
  const text = new TextDecoder("latin1").decode(body);
  return text.split(boundary === null ? "&" : `\r\n--${boundary}`, MAX_FIELDS + 2).length > MAX_FIELDS + 1;
}
