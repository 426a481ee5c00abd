/**
 * Where to go afterwards, from a `to` that may have been crafted: a path of this site, or `/`.
 * Whatever a browser could read as another origin is refused: `//evil`, `/\evil`, control characters, schemes.
 */
export function safeTo(to: FormDataEntryValue | string | null | undefined, fallback = "/"): string {
  if (typeof to !== "string" || !to.startsWith("/") || /[\\\u0000-\u001f\u007f]/.test(to)) return fallback;
  const base = "https://here.invalid";
  if (!URL.canParse(to, base)) return fallback;
  const url = new URL(to, base);
  // `//evil` and `/./\/evil` resolve to another host; a doubled slash may do so once more on the way.
  if (url.origin !== base || url.pathname.startsWith("//")) return fallback;
  return `${url.pathname}${url.search}${url.hash}`;
}

/** `/login?to=…`, keeping the page to come back to. */
export function loginPath(to: string): string {
  return to === "/" ? "/login" : `/login?${new URLSearchParams({ to })}`;
}

/** `/login/reset?to=…`: where a link is asked for that sets another password. */
export const resetPath = (to: string): string =>
  to === "/" ? "/login/reset" : `/login/reset?${new URLSearchParams({ to })}`;

/** `/login/confirm?to=…`: where a member proves again who they are, and comes back. */
export const confirmPath = (to: string): string => `/login/confirm?${new URLSearchParams({ to: safeTo(to) })}`;

/** Where another service hands a sign-in over. */
export const TOKEN_PATH = "/login/token";
export const FACTORS_PATH = "/my/settings/factors";
export const RECOVERY_CODES_PATH = "/my/settings/factors/recovery-codes";
