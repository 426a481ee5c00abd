import { sql } from "kysely";
import { type getEdgeState, SITEMAP_FILE_SIZE } from "../../contract/edge.ts";
import type { MaintenanceRecord } from "../../contract/maintenance-status.ts";
import type { AnswerOf } from "../../contract/operation.ts";
import type { PausableFeature } from "../../contract/paused-features.ts";
import type { RequestContext } from "../http/request-context.ts";
import { isUserEnabled } from "../storage/disabled.ts";

/**
 * Reads in one statement the maintenance record, the paused features and the page version: of the pages below a `link_id`, or of all other
 * pages. A disabled account's `link_id` is answered like an unknown one, so that nothing tells that the account exists.
 */
export async function findEdgeState(
  { database }: RequestContext,
  link_id: string | undefined,
): Promise<AnswerOf<typeof getEdgeState>> {
  const { rows } = await sql<{ version: string; paused: string } & MaintenanceRecord>`
    SELECT
      COALESCE(
        (SELECT user_id || '.' || COALESCE(version, '') FROM users LEFT JOIN page_versions ON scope = user_id
          WHERE link_id = ${link_id ?? ""} AND disabled_at IS NULL),
        'site.' || COALESCE((SELECT version FROM page_versions WHERE scope = 'site'), '')
      ) AS version, started_at, finished_at,
      (SELECT json_group_array(feature) FROM (SELECT feature FROM paused_features ORDER BY feature)) AS paused
    FROM (SELECT 1 AS one) LEFT JOIN maintenance ON singleton = one`.execute(database);
  const [{ version, started_at, finished_at, paused }] = rows as [(typeof rows)[number]];
  const features = JSON.parse(paused) as PausableFeature[];
  return {
    version,
    maintenance: { started_at, finished_at },
    paused_features: features.filter((feature) => feature !== "payouts"),
    are_payouts_paused: features.includes("payouts"),
  };
}

type Kind = "creators" | "events";
interface SitemapEntry {
  path: string;
  updated_at: string | null;
}

/** Leaves the posts of disabled accounts out of the sitemap. */
const isWriterEnabled = isUserEnabled("events.user_id");

/**
 * Lists the id after which each file of the sitemap begins. A file without entries would be invalid (sitemaps.org), so a
 * file is listed by its first entry. Reads two whole indexes, so callers must cache the answer.
 */
export async function listSitemapFiles({ database }: RequestContext): Promise<{ kind: Kind; after: string | null }[]> {
  const { rows } = await sql<{ kind: Kind; after: string | null }>`
    SELECT 'creators' AS kind, after FROM
      (SELECT LAG(user_id) OVER by_id AS after, ROW_NUMBER() OVER by_id AS place FROM users
        WHERE is_creator = 1 AND disabled_at IS NULL WINDOW by_id AS (ORDER BY user_id))
      WHERE place % ${SITEMAP_FILE_SIZE} = 1
    UNION ALL
    SELECT 'events', after FROM
      (SELECT LAG(event_id) OVER by_id AS after, ROW_NUMBER() OVER by_id AS place FROM events
        WHERE status = 'published' AND publish_target_type = 'public' AND ${isWriterEnabled}
        WINDOW by_id AS (ORDER BY event_id))
      WHERE place % ${SITEMAP_FILE_SIZE} = 1`.execute(database);
  return rows;
}

/**
 * Lists public pages for the sitemap, oldest first: creators, or the posts that everybody may read. `updated_at` is when a
 * post was published or changed, whichever is later. For a creator it is when they last published: an index answers
 * that, and the last change would take reading all their posts.
 */
export async function listSitemapEntries(
  { database }: RequestContext,
  kind: Kind,
  after = "",
): Promise<SitemapEntry[]> {
  const entries = {
    creators: sql<SitemapEntry>`
      SELECT '/' || link_id AS path,
        (SELECT MAX(published_at) FROM events WHERE events.user_id = users.user_id AND status = 'published') AS updated_at
      FROM users WHERE is_creator = 1 AND disabled_at IS NULL AND user_id > ${after}
      ORDER BY user_id LIMIT ${SITEMAP_FILE_SIZE}`,
    events: sql<SitemapEntry>`
      SELECT '/' || link_id || '/events/' || event_id AS path,
        max(published_at, COALESCE(events.updated_at, published_at)) AS updated_at
      FROM events JOIN users USING (user_id)
      WHERE status = 'published' AND publish_target_type = 'public' AND disabled_at IS NULL AND event_id > ${after}
      ORDER BY event_id LIMIT ${SITEMAP_FILE_SIZE}`,
  };
  return (await entries[kind].execute(database)).rows;
}
