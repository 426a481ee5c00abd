import type { Inadmissible } from "../../app/request/context.ts";
import { boundaryOf } from "../contract/multipart.ts";

/** More than any form of ours has: a post describes 100 pictures, a draft keeps 150 fields. */
const MAX_FIELDS = 500;
/** As long as our own names, and an id after them. */
const MAX_NAME_LENGTH = 64;

/**
 * Parses a form whose size is already bounded. Each field costs far more than its bytes, so their number is looked at before
 * anything parses them; and no name is longer than ours, because some readers take names for paths.
 *
 * @returns why the app must not have it, where it is no form of ours.
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

/** Whether the body may have more fields than any form of ours, told without parsing it. */
function hasTooManySeparators(body: Uint8Array, content_type: string | null): boolean {
  const boundary = boundaryOf(content_type);
  // Latin 1 keeps every byte a character.
  const text = new TextDecoder("latin1").decode(body);
  return text.split(boundary === null ? "&" : `\r\n--${boundary}`, MAX_FIELDS + 2).length > MAX_FIELDS + 1;
}
