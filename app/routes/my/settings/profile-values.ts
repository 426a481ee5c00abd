import type { Profile } from "../../../../workers/contract/users.ts";

type Links = Profile["external_links"];

/**
 * Converts between a profile and its form. Each field has a unique name (`link_url_0`, `in_genre_music`), because kept
 * forms are stored by field name. A section whose marker (`has_links`, …) is missing from the form is left unchanged.
 */

/** The address of the form's page, which is also its action. */
export const PROFILE_PATH = "/my/settings";

export type Written = Record<string, string>;

/** The operation of the button that saves the form's links over those that another page has saved. */
export const OVERWRITE_LINKS = "overwrite_links";

export const PICTURES = ["icon", "cover"] as const;
export type PictureName = (typeof PICTURES)[number];

const GENRE = "in_genre_";

/** The values of the form's fields for a profile. */
export function writtenOf(profile: Profile): Written {
  return {
    name: profile.name,
    bio: profile.bio,
    icon_image_id: profile.icon_image?.image_id ?? "",
    cover_image_id: profile.cover_image?.image_id ?? "",
    ...linkFields(profile.external_links),
    seen_links: JSON.stringify(profile.external_links),
    ...Object.fromEntries(profile.genre_ids.map((genre_id) => [GENRE + genre_id, "on"])),
    ...(profile.accepts_free_ofuses ? { accepts_free_ofuses: "on" } : {}),
  };
}

export interface LinkRow {
  /** The row's index, which is part of its field names. */
  at: number;
  external_site_id: string;
  url: string;
}

function linkFields(links: readonly { external_site_id: string; url: string }[]): Written {
  return Object.fromEntries(
    links.flatMap(({ external_site_id, url }, at) => [
      [`link_site_${at}`, external_site_id],
      [`link_url_${at}`, url],
    ]),
  );
}

/** Reads the rows of links from the form, in order. */
export function linkRowsOf(written: Written): LinkRow[] {
  const places = Object.keys(written).flatMap((name) => /^link_url_(\d{1,3})$/.exec(name)?.[1] ?? []);
  return places
    .map(Number)
    .sort((left, right) => left - right)
    .map((at) => ({
      at,
      external_site_id: written[`link_site_${at}`] ?? "",
      url: (written[`link_url_${at}`] ?? "").trim(),
    }));
}

/** Returns the links of the rows that are not blank, with their addresses as the API stores them. */
export const linksOf = (rows: readonly Omit<LinkRow, "at">[]): Links =>
  rows
    .filter(({ url }) => url !== "")
    .map(({ external_site_id, url }) => ({ external_site_id, url: URL.canParse(url) ? new URL(url).href : url }));

/** Replaces the rows of links in the form. */
export function withRows(written: Written, rows: readonly Omit<LinkRow, "at">[]): Written {
  const rest = Object.entries(written).filter(([name]) => !name.startsWith("link_"));
  return { ...Object.fromEntries(rest), ...linkFields(rows) };
}

export const genreIdsOf = (written: Written): string[] =>
  Object.keys(written).flatMap((name) => (name.startsWith(GENRE) ? [name.slice(GENRE.length)] : []));
