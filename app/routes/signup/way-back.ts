import { safeTo } from "../../request/to.ts";

/**
 * Of a text of ours that is read below `/signup`, by who is registering: the page to go back to (`to`). Null where it stands at its
 * own address.
 */
export function wayBack({ pathname, searchParams }: URL): string | null {
  return pathname.startsWith("/signup/") ? safeTo(searchParams.get("to"), "/signup/registration") : null;
}
