import { type CompiledQuery, sql } from "kysely";
import type { DonationCampaign } from "../../contract/references.ts";
import { isoTime } from "../../kernel/clock.ts";
import type { RequestContext } from "../http/request-context.ts";

/** The statement that opens a campaign, or changes one. */
export const openStatement = (
  { database }: Pick<RequestContext, "database">,
  campaign: DonationCampaign,
): CompiledQuery =>
  database
    .insertInto("donation_campaigns")
    .values(campaign)
    .onConflict((conflict) => conflict.column("donation_campaign_id").doUpdateSet(campaign))
    .compile();

/** The statement that closes a campaign now. A future campaign never opens; a closed one stays closed. */
export const closeStatement = (
  { database, now_ms }: Pick<RequestContext, "database" | "now_ms">,
  donation_campaign_id: string,
): CompiledQuery =>
  sql`UPDATE donation_campaigns SET closes_at = max(opens_at, min(closes_at, ${isoTime(now_ms)}))
    WHERE donation_campaign_id = ${donation_campaign_id}`.compile(database);
