import * as contract from "../../contract/references.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { donationCampaigns, externalSites, genres, letterAppearances, stamps } from "./lists.ts";

export const referenceRoutes = [
  bindEndpoint(contract.listDonationCampaigns, async () => ({ donation_campaigns: donationCampaigns })),
  bindEndpoint(contract.listExternalSites, async () => ({
    external_sites: externalSites.map(({ external_site_id, name }) => ({ external_site_id, name })),
  })),
  bindEndpoint(contract.listGenres, async () => ({ genres })),
  bindEndpoint(contract.listLetterAppearances, async () => ({ letter_appearances: letterAppearances })),
  bindEndpoint(contract.listStamps, async () => ({ stamps })),
];
