import { data } from "react-router";
import { MAX_PAGE_NUMBER } from "../../workers/contract/fields.ts";

/** Reads `?page=`, 1 by default. Throws 404 for an impossible page (`-1`, `abc`, 10,001). */
export function pageNumber(url: URL): number {
  const page = url.searchParams.get("page") ?? "1";
  const number = Number(page);
  if (!/^[1-9]\d{0,5}$/.test(page) || number > MAX_PAGE_NUMBER) throw data(null, { status: 404 });
  return number;
}

/** Throws 404 for a page after the end of its list. */
export function refuseEmptyPage(page: number, rows: readonly unknown[]): void {
  if (page > 1 && rows.length === 0) throw data(null, { status: 404 });
}
