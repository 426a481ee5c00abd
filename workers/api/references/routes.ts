import { LETTER_APPEARANCES, STAMPS } from "../../contract/letter-choices.ts";
import * as contract from "../../contract/references.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { externalSites, genres } from "./lists.ts";
import { listOpenCampaigns } from "./queries.ts";

export const referenceRoutes = [
  bindEndpoint(contract.listDonationCampaigns, async (_input, context) => ({
    donation_campaigns: await listOpenCampaigns(context),
  })),
  bindEndpoint(contract.listExternalSites, async () => ({
    external_sites: externalSites.map(({ external_site_id, name }) => ({ external_site_id, name })),
  })),
  bindEndpoint(contract.listGenres, async () => ({ genres })),
  bindEndpoint(contract.listLetterAppearances, async () => ({ letter_appearances: [...LETTER_APPEARANCES] })),
  bindEndpoint(contract.listStamps, async () => ({ stamps: [...STAMPS] })),
];
