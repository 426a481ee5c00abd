import { z } from "zod";
import { defineOperation } from "./operation.ts";

/** Fixed lists that screens choose from. Their ids are short words: they are ours, not a person's. */
const entry = { name: z.string() };

const list = <const Id extends string, const Path extends string, A extends z.ZodType>(
  operation_id: Id,
  path: Path,
  summary: string,
  answer: A,
) => defineOperation({ id: operation_id, method: "GET", path, auth: "none", summary, status: 200, answer, errors: [] });

export const listDonationCampaigns = list(
  "listDonationCampaigns",
  "/v4/donation_campaigns/all",
  "寄付キャンペーン",
  z.object({ donation_campaigns: z.array(z.object({ donation_campaign_id: z.string(), ...entry })) }),
);
export const listExternalSites = list(
  "listExternalSites",
  "/v4/external_sites/all",
  "外部サイト",
  z.object({ external_sites: z.array(z.object({ external_site_id: z.string(), ...entry })) }),
);
export const listGenres = list(
  "listGenres",
  "/v4/genres/all",
  "ジャンル",
  z.object({ genres: z.array(z.object({ genre_id: z.string(), ...entry })) }),
);
export const listLetterAppearances = list(
  "listLetterAppearances",
  "/v4/letter_appearances/all",
  "便せん",
  z.object({ letter_appearances: z.array(z.object({ letter_appearance_id: z.string(), ...entry })) }),
);
export const listStamps = list(
  "listStamps",
  "/v4/stamps/all",
  "スタンプ",
  z.object({ stamps: z.array(z.object({ stamp_id: z.string(), ...entry })) }),
);
