import { sql } from "kysely";
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

export interface ArchivedCaption {
  caption_id: string;
  words: string;
  created_at: string;
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

/** Returns the first captions of each of some radios, as {@link listArchivedCaptions} lists them. */
export async function findFirstCaptions(
  database: Database,
  radio_ids: readonly string[],
  limit: number,
): Promise<Map<string, ArchivedCaption[]>> {
  const { rows } = await sql<{ radio_id: string; captions: string }>`SELECT value AS radio_id, (
      SELECT json_group_array(json_object('caption_id', caption_id, 'words', words, 'created_at', created_at)
        ORDER BY caption_id) FROM (
          SELECT caption_id, words, created_at FROM radio_captions WHERE radio_captions.radio_id = json_each.value
          ORDER BY caption_id LIMIT ${limit})) AS captions
    FROM json_each(${JSON.stringify(radio_ids)})`.execute(database);
  return new Map(rows.map(({ radio_id, captions }) => [radio_id, JSON.parse(captions)]));
}
