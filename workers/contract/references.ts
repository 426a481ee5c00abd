import * as z from "zod";
import { time, wordId } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/** Fixed lists of choices. Their ids are short words that the site defines. */
const entry = <const Field extends string>(id_field: Field, id: string, name: string) =>
  z.object({
    [id_field]: wordId.meta({ examples: [id] }),
    name: z.string().meta({ description: "表示する名前", examples: [name] }),
  } as Record<Field, typeof wordId> & { name: z.ZodString });

const list = <const Id extends string, const Path extends string, A extends z.ZodType>(
  operation_id: Id,
  path: Path,
  summary: string,
  answer: A,
) => defineOperation({ id: operation_id, method: "GET", path, auth: "none", summary, status: 200, answer, errors: [] });

/** A campaign of the operator, to which a paid letter can give a share. */
export const donationCampaign = entry("donation_campaign_id", "noto_2026", "能登の復興支援")
  .extend({
    description: z.string().meta({ description: "寄付の使いみち", examples: ["被災した図書館に、本を贈ります。"] }),
    url: z.string().meta({ description: "くわしい説明のページ", examples: ["https://example.jp/noto"] }),
    opens_at: time.meta({ description: "受け付けを始める日時" }),
    closes_at: time.meta({ description: "受け付けを終える日時" }),
  })
  .meta({ id: "DonationCampaign", description: "寄付キャンペーン" });
export type DonationCampaign = z.output<typeof donationCampaign>;

export const listDonationCampaigns = list(
  "listDonationCampaigns",
  "/v4/donation_campaigns/all",
  "受け付けている寄付キャンペーン",
  z.object({ donation_campaigns: z.array(donationCampaign) }),
);
export const listExternalSites = list(
  "listExternalSites",
  "/v4/external_sites/all",
  "外部サイト",
  z.object({ external_sites: z.array(entry("external_site_id", "bluesky", "Bluesky")) }),
);
export const listGenres = list(
  "listGenres",
  "/v4/genres/all",
  "ジャンル",
  z.object({ genres: z.array(entry("genre_id", "illustration", "イラスト")) }),
);
export const listLetterAppearances = list(
  "listLetterAppearances",
  "/v4/letter_appearances/all",
  "便せん",
  z.object({ letter_appearances: z.array(entry("letter_appearance_id", "sakura", "桜")) }),
);
export const listStamps = list(
  "listStamps",
  "/v4/stamps/all",
  "スタンプ",
  z.object({ stamps: z.array(entry("stamp_id", "thanks", "ありがとう")) }),
);
