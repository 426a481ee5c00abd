import type { BoxView } from "./box-view.ts";

/** The query of an address with a view. Always names `type`, because without it the box may show received or sent letters. */
export function boxSearch({ type, is_not_replied, price, sort_by, keyword }: BoxView, page = 1): string {
  const search = new URLSearchParams({ type });
  if (is_not_replied) search.set("filter", "not_replied");
  if (price) search.set("price", price);
  if (sort_by !== "newest") search.set("sort", sort_by);
  if (keyword) search.set("keyword", keyword);
  if (page > 1) search.set("page", String(page));
  return `?${search}`;
}

/** The address of the box. */
export const boxPath = (view: BoxView, page = 1): string => `/my/box${boxSearch(view, page)}`;

/** The address of a letter, with the view from which it is opened; the usual view is not named. */
export function letterPath(ofuse_id: string, view: BoxView, page = 1): string {
  const search = boxSearch(view, page);
  return `/my/box/${ofuse_id}${search === "?type=received" ? "" : search}`;
}
