import { SEARCHED_LENGTH } from "../../../workers/contract/bounds.ts";

/** The filter and the search of a list of people, as in its address. */
export interface PeopleView {
  filter: "all" | "subscribing";
  keyword: string;
}

export const readPeopleView = ({ searchParams }: URL): PeopleView => ({
  filter: searchParams.get("filter") === "subscribing" ? "subscribing" : "all",
  keyword: (searchParams.get("keyword") ?? "").trim().slice(0, SEARCHED_LENGTH),
});

/** Returns the address of a page of the list at `path`. */
export function peoplePath(path: string, { filter, keyword }: PeopleView, page = 1): string {
  const search = new URLSearchParams();
  if (filter !== "all") search.set("filter", filter);
  if (keyword) search.set("keyword", keyword);
  if (page > 1) search.set("page", String(page));
  return search.size > 0 ? `${path}?${search}` : path;
}
