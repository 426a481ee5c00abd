import { type CompiledQuery, sql } from "kysely";
import type { RadioCaption } from "../../contract/radio-captions.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import { CAPTION_LIMIT } from "./rules.ts";

/**
 * Writes a caption of the caller's radio, and sends it to everybody who reads along. Throws `not_found` when the radio is
 * not the caller's, `radio_transition_refused` unless it is on air, and `too_many_requests`.
 */
export async function createCaption(
  context: RequestContext,
  radio_id: string,
  words: string,
): Promise<{ caption: RadioCaption }> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const caption = { caption_id: newId(now_ms), words, created_at: isoTime(now_ms) };
  const own = sql`SELECT 1 FROM radios WHERE radio_id = ${radio_id} AND user_id = ${user_id}`;
  const change = {
    preconditions: [
      { code: "not_found" as const, holds: sql`EXISTS (${own})` },
      { code: "radio_transition_refused" as const, holds: sql`EXISTS (${own} AND status = 'on_air')` },
    ],
    statements: [
      database
        .insertInto("radio_captions")
        .values({ ...caption, radio_id, user_id })
        .compile(),
    ],
  };
  const answer = await commitLimited(context, CAPTION_LIMIT, user_id, change, { caption });
  await context.chat.tell(radio_id, { type: "caption", caption });
  return answer;
}

/** Deletes a caption of the caller's radio. Throws `not_found` when there is none. */
export async function deleteCaption(context: RequestContext, radio_id: string, caption_id: string): Promise<null> {
  const found = await context.database
    .selectFrom("radio_captions")
    .innerJoin("radios", "radios.radio_id", "radio_captions.radio_id")
    .select("caption_id")
    .where("caption_id", "=", caption_id)
    .where("radio_captions.radio_id", "=", radio_id)
    .where("radios.user_id", "=", memberId(context))
    .executeTakeFirst();
  if (!found) throw new Problem("not_found");
  const statement = context.database.deleteFrom("radio_captions").where("caption_id", "=", caption_id).compile();
  await commitAnswer(context, { statements: [statement] }, null);
  await context.chat.tell(radio_id, { type: "caption_deleted", caption_id });
  return null;
}

/** How many captions one statement inserts: D1 takes parameters of two megabytes. */
const CAPTIONS_AT_ONCE = 200;

/** Returns the statements that add captions to an imported radio of the caller's, in the order in which they are given. */
export function addImportedCaptions(
  context: RequestContext,
  radio_id: string,
  captions: readonly { words: string; created_at: string }[],
): CompiledQuery[] {
  const user_id = memberId(context);
  let at_ms = 0;
  const rows = captions.map((caption) => {
    // Ids sort in the order of writing, also those of one millisecond.
    at_ms = Math.max(at_ms + 1, Date.parse(caption.created_at));
    return { caption_id: newId(at_ms), ...caption };
  });
  const parts = Array.from({ length: Math.ceil(rows.length / CAPTIONS_AT_ONCE) }, (_, part) =>
    rows.slice(part * CAPTIONS_AT_ONCE, (part + 1) * CAPTIONS_AT_ONCE),
  );
  return parts.map((part) =>
    sql`INSERT INTO radio_captions (caption_id, radio_id, user_id, words, created_at)
      SELECT value ->> 'caption_id', ${radio_id}, ${user_id}, value ->> 'words', value ->> 'created_at'
      FROM json_each(${JSON.stringify(part)})`.compile(context.database),
  );
}
