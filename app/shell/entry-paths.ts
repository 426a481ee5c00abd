import { useLocation } from "react-router";
import { loginPath, safeTo } from "../request/to.ts";

/**
 * Where a visitor signs in or up, to come back to the page they are on. From its address alone, by which visitors' shared
 * copies are kept; pages that are on the way in themselves hand on what they were given.
 */
export function useEntryPaths(): { login: string; sign_up: string } {
  const { pathname, search } = useLocation();
  const is_on_the_way = /^\/(?:login|signup)(?:\/|$)/.test(pathname);
  const login = loginPath(is_on_the_way ? safeTo(new URLSearchParams(search).get("to")) : pathname + search);
  return { login, sign_up: `${login}#signup` };
}
