import { genres } from "./lists.ts";

/** The genres with these ids, in the order of the list. An id that is not in it any more names none. */
export function findGenres(genre_ids: readonly string[]): { genre_id: string; name: string }[] {
  return genres.filter(({ genre_id }) => genre_ids.includes(genre_id));
}
