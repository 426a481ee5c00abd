import { SEARCHED_LENGTH } from "../../workers/contract/bounds.ts";

/** Reads the words of a search from an address. Cuts longer words, which the API refuses. It counts code points. */
export function readKeyword({ searchParams }: URL): string {
  const typed = (searchParams.get("keyword") ?? "").trim();
  return [...typed].slice(0, SEARCHED_LENGTH).join("");
}
