import { externalSites, genres } from "./lists.ts";

/** Returns the genres with these ids, in the order of the list. Ignores ids that are no longer on it. */
export function findGenres(genre_ids: readonly string[]): { genre_id: string; name: string }[] {
  return genres.filter(({ genre_id }) => genre_ids.includes(genre_id));
}

export const findExternalSite = (external_site_id: string) =>
  externalSites.find((each) => each.external_site_id === external_site_id);
