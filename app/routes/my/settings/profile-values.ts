import type { Profile } from "../../../../workers/contract/users.ts";

/**
 * The profile's form. Each of its fields has a name of its own (`link_url_0`, `genre_music`), so that its words can be kept by
 * name; a part that is not in the form (`has_links`, …) stays as it is.
 */

/** Its page, and where it goes. */
export const PROFILE_PATH = "/my/settings";

export type Written = Record<string, string>;

export const PICTURES = ["icon", "cover"] as const;
export type PictureName = (typeof PICTURES)[number];

const GENRE = "genre_";

/** What the form shows of a profile. */
export function writtenOf(profile: Profile): Written {
  return {
    name: profile.name,
    bio: profile.bio,
    icon_image_id: profile.icon_image?.image_id ?? "",
    cover_image_id: profile.cover_image?.image_id ?? "",
    ...linkFields(profile.external_links),
    ...Object.fromEntries(profile.genre_ids.map((genre_id) => [GENRE + genre_id, "on"])),
    ...(profile.accepts_free_ofuses ? { accepts_free_ofuses: "on" } : {}),
  };
}

export interface LinkRow {
  /** Its place in the form, which its fields are named by. */
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

/** The rows of links as they stand in the form, in their order. */
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

/** The form with one row of links more, or without one. */
export function withRows(written: Written, rows: readonly Omit<LinkRow, "at">[]): Written {
  const rest = Object.entries(written).filter(([name]) => !name.startsWith("link_"));
  return { ...Object.fromEntries(rest), ...linkFields(rows) };
}

export const genreIdsOf = (written: Written): string[] =>
  Object.keys(written).flatMap((name) => (name.startsWith(GENRE) ? [name.slice(GENRE.length)] : []));
