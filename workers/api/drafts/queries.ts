import { sql } from "kysely";
import type { Draft, DraftSummary, OpenedDraft } from "../../contract/drafts.ts";
import type { MediaFile } from "../../contract/fields.ts";
import type { RequestContext } from "../http/request-context.ts";
import { imageJson, mediaJson, openMedia, readImage, signImage, signMedia } from "../uploads/queries.ts";

const columns = ["draft_id", "event_id", "kind", "revision", "created_at", "updated_at"] as const;

/** Lists a person's drafts, latest saved first; with `event_id`, only the draft of that post. */
export function listDrafts(
  context: RequestContext,
  user_id: string,
  { event_id }: { event_id?: string },
): Promise<DraftSummary[]> {
  let query = context.database
    .selectFrom("event_drafts")
    .select(columns)
    .select(sql<string>`COALESCE(fields ->> '$.title', '')`.as("title"))
    .select(sql<string>`substr(trim(COALESCE(fields ->> '$.body', ''), char(9, 10, 13, 32)), 1, 200)`.as("opening"))
    .where("user_id", "=", user_id)
    .orderBy("updated_at", "desc")
    .orderBy("draft_id", "desc");
  if (event_id) query = query.where("event_id", "=", event_id);
  return query.execute();
}

export async function findDraft(context: RequestContext, user_id: string, draft_id: string): Promise<Draft | null> {
  const row = await context.database
    .selectFrom("event_drafts")
    .select([...columns, "fields"])
    .where("draft_id", "=", draft_id)
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  return row ? { ...row, fields: JSON.parse(row.fields) } : null;
}

/**
 * Returns a draft with its uploaded pictures and files, as its writer may see them; null when there is no such draft.
 */
export async function openDraft(
  context: RequestContext,
  user_id: string,
  draft_id: string,
): Promise<OpenedDraft | null> {
  const draft = await findDraft(context, user_id, draft_id);
  if (!draft) return null;
  const uploads = sql`(SELECT value FROM event_drafts, json_each(upload_ids) WHERE draft_id = ${draft_id})`;
  const { database } = context;
  // The tables need the alias `used` because `imageJson` and `mediaJson` select from tables of the same names.
  const [pictures, files] = await Promise.all([
    database
      .selectFrom("images as used")
      .select(imageJson("used.image_id").as("json"))
      .where("owner_user_id", "=", user_id)
      .where(sql<boolean>`image_id IN ${uploads}`)
      .execute(),
    database
      .selectFrom("media_files as used")
      .select(mediaJson("used.media_id").as("json"))
      .where("owner_user_id", "=", user_id)
      .where(sql<boolean>`media_id IN ${uploads}`)
      .execute(),
  ]);
  const images = await Promise.all(pictures.map(({ json }) => signImage(readImage(json), context)));
  const media = await Promise.all(
    files.map(({ json }) => signMedia(openMedia(JSON.parse(json ?? "{}") as Omit<MediaFile, "url">), context)),
  );
  return { ...draft, images: images.filter((image) => image !== null), media };
}
