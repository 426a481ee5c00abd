/** `npm run operator -- campaign ...`: the campaigns to which letters can give a share. */
import { parseArgs } from "node:util";
import { closeCampaign, listCampaigns, openCampaign } from "../../workers/contract/operator.ts";
import type { DonationCampaign } from "../../workers/contract/references.ts";
import { Refusal } from "../refusal.ts";
import { readMoment } from "./maintenance.ts";
import type { Subject } from "./subject.ts";

const usage = `campaign list
campaign open <id> --name <name> --description <text> --url <https url> [--from <moment>] --to <moment>
                             open a campaign, or change one; without --from it opens now
campaign close <id>          close it now; payments that have begun still give their share`;

export const campaignSubject: Subject = {
  usage,
  read([action = "", id, ...rest], now_ms) {
    if (action === "list" && id === undefined) {
      return async ({ call }) => {
        const { donation_campaigns } = await call(listCampaigns, {});
        return donation_campaigns.map((each) => describeCampaign(each, now_ms)).join("\n") || "There is no campaign.";
      };
    }
    if (id === undefined) throw new Refusal(usage);
    if (!/^[a-z0-9_]{3,32}$/.test(id)) throw new Refusal(`The id "${id}" has not 3 to 32 of a-z, 0-9 and _.`);
    const params = { donation_campaign_id: id };
    if (action === "close" && rest.length === 0) {
      return async ({ call }) =>
        describeCampaign((await call(closeCampaign, { params })).donation_campaign, Date.now());
    }
    if (action !== "open") throw new Refusal(usage);
    const { name, description, url, from = "now", to } = readOptions(rest);
    const missing = Object.entries({ name, description, url, to }).flatMap(([flag, value]) =>
      value ? [] : [`--${flag}`],
    );
    if (!name || !description || !url || !to) throw new Refusal(`${missing.join(" and ")} is missing.\n${usage}`);
    if (!url.startsWith("https://") || !URL.canParse(url)) throw new Refusal(`"${url}" is no https address.`);
    const window = { opens_at: readMoment(from, now_ms), closes_at: readMoment(to, now_ms) };
    if (window.closes_at <= window.opens_at) throw new Refusal(`It would close (${to}) before it opens (${from}).`);
    const body = { name, description, url, ...window };
    return async ({ call }) => describeCampaign((await call(openCampaign, { params, body })).donation_campaign, now_ms);
  },
};

function readOptions(args: string[]) {
  const type = "string" as const;
  const options = { name: { type }, description: { type }, url: { type }, from: { type }, to: { type } };
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n${usage}`);
  }
}

function describeCampaign(campaign: DonationCampaign, now_ms: number): string {
  const { donation_campaign_id, name, url, opens_at, closes_at } = campaign;
  const now = new Date(now_ms).toISOString();
  const state = closes_at <= now ? "closed" : opens_at <= now ? "open" : "planned";
  return [donation_campaign_id, state, `${opens_at} to ${closes_at}`, name, url].join("  ");
}
