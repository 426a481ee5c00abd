import { safeTo } from "../../request/to.ts";

/**
 * Returns the page to return to (`to`) from a legal text that a person reads under `/signup` while registering. Returns
 * null for the same text at its normal address.
 */
export function wayBack({ pathname, searchParams }: URL): string | null {
  return pathname.startsWith("/signup/") ? safeTo(searchParams.get("to"), "/signup/registration") : null;
}
