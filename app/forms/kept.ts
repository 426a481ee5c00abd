import type { Kept } from "../v4/failure.ts";
import { AUTHOR_FIELD } from "./author-field.ts";

/** The names of fields with secrets. Their values are never returned, not even as hidden fields. */
const SECRET = /password|secret|token/i;
/** The names of text fields, which are shown to their writer. */
const WRITTEN =
  /(?:message|reply|comment|body|text|title|name|bio|profile|description|content|subject|note|email|keyword|link_id|number|year|limit|url(?:_\d+)?)$/i;
const UNWRITTEN = new Set<string>([AUTHOR_FIELD, "idempotency_key", "operation", "to"]);
/** Matches values that look like an id, a number, a path or an option's value. */
const MACHINE_MADE = /^(?:[\w.:-]*|\/.*)$/;

/**
 * Splits the fields of an unknown form. Text (by its field's name, or because it reads like text) is shown to its
 * writer; the other fields become hidden ones.
 */
export function keptOf(form: FormData, action: string): Kept {
  const kept: Kept = { action, words: [], others: [], is_whole: true };
  for (const [name, value] of form) {
    const is_lost = typeof value !== "string" ? value.size > 0 : SECRET.test(name);
    if (is_lost) kept.is_whole = false;
    if (typeof value !== "string" || is_lost) continue;
    const is_written = WRITTEN.test(name) || !MACHINE_MADE.test(value);
    const is_shown = value !== "" && !UNWRITTEN.has(name) && is_written;
    (is_shown ? kept.words : kept.others).push([name, value]);
  }
  return kept;
}
