import { useLocation } from "react-router";
import { loginPath, safeTo } from "../request/to.ts";

/**
 * The links to sign in and sign up, which return to the current page. Computed from the address alone, because shared
 * copies of visitors' pages are cached by address. On the sign-in pages, the links keep the page's own `to`.
 */
export function useEntryPaths(): { login: string; sign_up: string } {
  const { pathname, search } = useLocation();
  const is_on_the_way = /^\/(?:login|signup)(?:\/|$)/.test(pathname);
  const login = loginPath(is_on_the_way ? safeTo(new URLSearchParams(search).get("to")) : pathname + search);
  return { login, sign_up: `${login}#signup` };
}
