import { sql } from "kysely";
import type { DonationCampaign } from "../../contract/references.ts";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Precondition } from "../storage/commit.ts";
import { externalSites, genres } from "./lists.ts";

/** Returns the genres with these ids, in the order of the list. Ignores ids that are no longer on it. */
export function findGenres(genre_ids: readonly string[]): { genre_id: string; name: string }[] {
  return genres.filter(({ genre_id }) => genre_ids.includes(genre_id));
}

export const findExternalSite = (external_site_id: string) =>
  externalSites.find((each) => each.external_site_id === external_site_id);

type Reading = Pick<RequestContext, "database" | "now_ms">;

/** Lists every campaign, the last opened first. */
export const listCampaigns = ({ database }: Pick<Reading, "database">): Promise<DonationCampaign[]> =>
  database
    .selectFrom("donation_campaigns")
    .selectAll()
    .orderBy("opens_at", "desc")
    .orderBy("donation_campaign_id")
    .execute();

/** Finds a campaign. Throws `not_found`. */
export async function findCampaign(
  { database }: Pick<Reading, "database">,
  donation_campaign_id: string,
): Promise<DonationCampaign> {
  const row = await database
    .selectFrom("donation_campaigns")
    .selectAll()
    .where("donation_campaign_id", "=", donation_campaign_id)
    .executeTakeFirst();
  if (!row) throw new Problem("not_found");
  return row;
}

/** Lists the campaigns that take donations now. There are few campaigns: operators open each by hand. */
export async function listOpenCampaigns(context: Reading): Promise<DonationCampaign[]> {
  const now = isoTime(context.now_ms);
  return (await listCampaigns(context)).filter(({ opens_at, closes_at }) => opens_at <= now && now < closes_at);
}

/** The precondition that a campaign takes donations now. */
export function requireOpenCampaign({ now_ms }: Reading, donation_campaign_id: string): Precondition {
  const now = isoTime(now_ms);
  return {
    code: "donation_campaign_closed",
    holds: sql`EXISTS (SELECT 1 FROM donation_campaigns WHERE donation_campaign_id = ${donation_campaign_id}
      AND opens_at <= ${now} AND ${now} < closes_at)`,
  };
}
