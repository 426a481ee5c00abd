import * as contract from "../../contract/references.ts";
import { endpoint } from "../http/endpoint.ts";
import { donationCampaigns, externalSites, genres, letterAppearances, stamps } from "./lists.ts";

export const referenceRoutes = [
  endpoint(contract.listDonationCampaigns, async () => ({ donation_campaigns: donationCampaigns })),
  endpoint(contract.listExternalSites, async () => ({
    external_sites: externalSites.map(({ external_site_id, name }) => ({ external_site_id, name })),
  })),
  endpoint(contract.listGenres, async () => ({ genres })),
  endpoint(contract.listLetterAppearances, async () => ({ letter_appearances: letterAppearances })),
  endpoint(contract.listStamps, async () => ({ stamps })),
];
