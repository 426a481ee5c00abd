import type { Kept } from "../v4/failure.ts";
import { AUTHOR_FIELD } from "./author-field.ts";

/** Never given back, not even unseen. */
const SECRET = /password|secret|token/i;
/** Fields that people write in, whatever they wrote. */
const WRITTEN =
  /(?:message|reply|comment|body|text|title|name|bio|profile|description|content|subject|note|email|keyword|link_id|number|year|url(?:_\d+)?)$/i;
const UNWRITTEN = new Set<string>([AUTHOR_FIELD, "idempotency_key", "operation", "to"]);
/** What a machine put there: a word of ours, an id, a number, a path. */
const MACHINE_MADE = /^(?:[\w.:-]*|\/.*)$/;

/**
 * A form of which nothing is known but what it sent. Its words are what stands in fields for words, or reads like words;
 * the rest goes along unseen.
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
