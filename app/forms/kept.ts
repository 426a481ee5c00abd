import { OWNER_FIELD } from "../ui/owner-field.ts";
import type { Kept } from "../v4/failure.ts";
import { AUTHOR_FIELD } from "./author-field.ts";

/** The names of fields with secrets. Their values are never returned, not even as hidden fields. */
const SECRET = /password|secret|token/i;
/** The names of text fields, which are shown to their writer. */
const WRITTEN =
  /(?:message|reply|comment|body|text|title|name|bio|profile|description|content|subject|note|email|keyword|link_id|number|year|limit|url(?:_\d+)?)$/i;
const UNWRITTEN = new Set<string>([AUTHOR_FIELD, OWNER_FIELD, "idempotency_key", "operation", "to"]);
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

/** The labels of our forms' fields. A map, because a caller may name a field `constructor`. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ["title", "タイトル"],
  ["body", "本文"],
  ["message", "メッセージ"],
  ["reply", "返信"],
  ["detail", "くわしい内容"],
  ["name", "表示名"],
  ["default_name", "表示名"],
  ["bio", "自己紹介"],
  ["birth_year", "生まれた年"],
  ["link_id", "ユーザーID"],
  ["email", "メールアドレス"],
  ["new_email", "メールアドレス"],
  ["phone_number", "電話番号"],
  ["free_ofuse_message", "無料のofuseへのお礼"],
  ["paid_ofuse_message", "有料のofuseへのお礼"],
]);

/** Returns the label of a field of {@link Kept.words}. */
export function labelOf(name: string): string {
  const link = /^link_url_(\d+)$/.exec(name);
  return link ? `リンク${Number(link[1]) + 1}` : (LABELS.get(name) ?? "入力された内容");
}

const LINE_CHARACTERS = 24;

/** Returns the height in rows that fits the text, up to a limit. */
export function rowsOf(text: string): number {
  const lines = text.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / LINE_CHARACTERS), 0);
  return Math.min(Math.max(lines, 1), 8);
}
