import { externalSites, genres } from "./lists.ts";

/** The genres with these ids, in the order of the list. An id that is not in it any more names none. */
export function findGenres(genre_ids: readonly string[]): { genre_id: string; name: string }[] {
  return genres.filter(({ genre_id }) => genre_ids.includes(genre_id));
}

/** The site of this id; undefined where it is not on the list. */
export const findExternalSite = (external_site_id: string) =>
  externalSites.find((each) => each.external_site_id === external_site_id);
