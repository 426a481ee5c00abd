import { id } from "../../workers/contract/fields.ts";

/** Returns the input of the call that reads a page's post. `?category=` chooses the category of the post's neighbours. */
export function eventInput(event_id: string, url: URL) {
  const category = id.safeParse(url.searchParams.get("category")).data;
  return { params: { event_id }, query: { context_event_category_id: category } };
}
