/**
 * Returns the path to continue at: `to` if it is a path of this site, otherwise `fallback`. Rejects everything that a
 * browser could read as another origin: `//evil`, `/\evil`, control characters, schemes.
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

/** Returns `/login?to=…`, with the page to come back to. */
export function loginPath(to: string): string {
  return to === "/" ? "/login" : `/login?${new URLSearchParams({ to })}`;
}

/** Returns `/login/reset?to=…`, where a password reset link is requested. */
export const resetPath = (to: string): string =>
  to === "/" ? "/login/reset" : `/login/reset?${new URLSearchParams({ to })}`;

/** Returns `/login/confirm?to=…`, where a member signs in again before a sensitive change. */
export const confirmPath = (to: string): string => `/login/confirm?${new URLSearchParams({ to: safeTo(to) })}`;

/** Returns `?to=…` with the page to come back to, as the address `url` has it, or nothing. */
export function toQuery(url: URL): string {
  const to = safeTo(url.searchParams.get("to"), "");
  return to && `?${new URLSearchParams({ to })}`;
}

/** The page that takes over a sign-in from another service. */
export const TOKEN_PATH = "/login/token";
export const FACTORS_PATH = "/my/settings/factors";
export const RECOVERY_CODES_PATH = "/my/settings/factors/recovery-codes";
