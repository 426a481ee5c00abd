import { MAX_ANONYMOUS_PAGE_SIZE, PAGE_SIZE } from "../../contract/fields.ts";

export interface Page {
  page_number: number;
  page_size: number;
}

export const FIRST_PAGE: Page = { page_number: 1, page_size: PAGE_SIZE };

/**
 * Returns the limit and offset of the query. It reads one row more than the page, so that `has_next` needs no count.
 */
export function rowsOf(page: Page, is_anonymous: boolean): { limit: number; offset: number; page_size: number } {
  const page_size = is_anonymous ? Math.min(page.page_size, MAX_ANONYMOUS_PAGE_SIZE) : page.page_size;
  return { limit: page_size + 1, offset: (page.page_number - 1) * page_size, page_size };
}

/** Returns the page and its pagination fields, from rows fetched with {@link rowsOf}. */
export function pageOf<Row>(rows: Row[], page_number: number, page_size: number) {
  return { rows: rows.slice(0, page_size), closing: { page_number, page_size, has_next: rows.length > page_size } };
}
