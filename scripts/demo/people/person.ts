import type { Face } from "../pictures/index.ts";

type ExternalSiteId =
  | "x"
  | "pixiv"
  | "youtube"
  | "instagram"
  | "booth"
  | "note"
  | "soundcloud"
  | "website"
  | "tiktok"
  | "bluesky";

export type Person = {
  /** The name by which the other data modules refer to this person. */
  key: string;
  link_id: string;
  name: string;
  bio: string;
  is_creator: boolean;
  genres: string[];
  /** Addresses under the reserved domain example.com, so that no link leads to a real page. */
  links: { external_site_id: ExternalSiteId; url: string }[];
  face: Face;
};
