import type { RequestContext } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";

/**
 * Lists the last captions of a radio, or the last ones before the token, in the order in which they were written. Does not
 * check access to the radio.
 */
export async function listCaptions(
  { database }: RequestContext,
  radio_id: string,
  { limit, next_page_token }: { limit: number; next_page_token?: string | undefined },
) {
  let query = database
    .selectFrom("radio_captions")
    .select(["caption_id", "words", "created_at"])
    .where("radio_id", "=", radio_id);
  if (next_page_token !== undefined) query = query.where("caption_id", "<", next_page_token);
  const rows = await query
    .orderBy("caption_id", "desc")
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1)?.caption_id : undefined;
  return { captions: shown.reverse(), next_page_token: last ?? null };
}

/** Returns some captions of a radio, after the given one, in the order in which they were written. */
export async function listArchivedCaptions(
  database: Database,
  radio_id: string,
  { after, limit }: { after: string; limit: number },
) {
  return database
    .selectFrom("radio_captions")
    .select(["caption_id", "words", "created_at"])
    .where("radio_id", "=", radio_id)
    .where("caption_id", ">", after)
    .orderBy("caption_id")
    .limit(limit)
    .execute();
}
