import { readKeyword } from "../../v4/keyword.ts";

/** The filter and the search of a list of people, as in its address. */
export interface PeopleView {
  filter: "all" | "subscribing";
  keyword: string;
}

export const readPeopleView = (url: URL): PeopleView => ({
  filter: url.searchParams.get("filter") === "subscribing" ? "subscribing" : "all",
  keyword: readKeyword(url),
});

/**
 * Returns the part of the list that a page asks the API for. A link to the next page carries the last person before it,
 * so that the API skips nobody; a typed page number makes it skip all people before the page.
 */
export function readPart({ searchParams }: URL, page: number): { page_number: number; after?: string } {
  const after = page > 1 ? searchParams.get("after") : null;
  return after && after.length <= 100 ? { page_number: 1, after } : { page_number: page };
}

/** Returns the address of the page after this one, which begins after the last of these people. */
export function nextPath(
  path: string,
  view: PeopleView,
  page: number,
  people: readonly { created_at: string; user: { user_id: string } }[],
): string {
  const last = people.at(-1);
  const next = peoplePath(path, view, page + 1);
  return last ? `${next}&${new URLSearchParams({ after: `${last.created_at} ${last.user.user_id}` })}` : next;
}

/** Returns the address of a page of the list at `path`. */
export function peoplePath(path: string, { filter, keyword }: PeopleView, page = 1): string {
  const search = new URLSearchParams();
  if (filter !== "all") search.set("filter", filter);
  if (keyword) search.set("keyword", keyword);
  if (page > 1) search.set("page", String(page));
  return search.size > 0 ? `${path}?${search}` : path;
}
