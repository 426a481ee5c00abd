import { nameRefusal } from "../../../../workers/contract/names.ts";
import { chosenGenres, linkUrl, profileForm, seenLinks } from "../../operation-forms.server.ts";
import type { LinkRow } from "./profile-values.ts";

/** Returns the schema of the profile's form, with a field for each link that is not blank. */
export function profileSchema(rows: readonly LinkRow[]) {
  const links = rows.filter(({ url }) => url !== "").map(({ at }) => [`link_url_${at}`, linkUrl] as const);
  return profileForm.extend(Object.fromEntries(links));
}

/**
 * Returns the errors that the API would find in the later calls of a save, or null, so that the first call saves nothing
 * of a refused form.
 * @param name null if it is not changed.
 */
export function contentErrors({ name, genre_ids }: { name: string | null; genre_ids: readonly string[] }) {
  const refusal = name === null ? null : nameRefusal(name);
  const genres = chosenGenres.safeParse(genre_ids).error?.issues.slice(0, 1);
  const errors = {
    ...(refusal && { name: [refusal] }),
    ...(genres && { genre_ids: genres.map(({ message }) => message) }),
  };
  return Object.keys(errors).length > 0 ? errors : null;
}

/** Renames the API's errors: the API numbers only the links that were sent, the form numbers its rows. */
export function fieldsByRow(fields: Record<string, string[]>, sent: readonly LinkRow[]): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, sentences]) => {
      const [, at = "", part] = /^external_links\.(\d+)\.(url|external_site_id)$/.exec(field) ?? [];
      const row = sent[Number(at)];
      return [part && row ? `link_url_${row.at}` : field, sentences];
    }),
  );
}

/** Returns the stored links with which the form began; null for a form that does not say. */
export function parseSeenLinks(form: FormData) {
  try {
    return seenLinks.parse(JSON.parse(String(form.get("seen_links"))));
  } catch {
    return null;
  }
}
