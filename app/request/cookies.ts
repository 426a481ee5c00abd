/**
 * Every cookie of this site is HttpOnly, SameSite=Lax and valid for the whole site. Over https it is also Secure, and
 * its name begins with `__Host-`.
 */

/**
 * The cookie that identifies a visitor's likes by a token of the API. Only requests about likes read it. Pages ignore
 * it, so that the visitor still gets the shared copies (app/middleware/shared-pages.ts).
 */
export const GUEST_COOKIE = "guest";

/** The cookie with the keys of radios that this browser may hear. Only the pages of single radios read it. */
export const RADIO_KEYS_COOKIE = "radioKeys";

/** The cookie with the language of mails about accounts: `en`, or missing. Pages ignore it. */
export const MAIL_LANGUAGE_COOKIE = "mailLanguage";

/** Returns the cookie's name on this scheme. Source: RFC 6265bis, section 4.1.3 (cookie name prefixes). */
function cookieName(name: string, is_https: boolean): string {
  return is_https ? `__Host-${name}` : name;
}

/** Returns a Set-Cookie line. `max_age_s` 0 removes the cookie. */
function setCookie(name: string, value: string, options: { is_https: boolean; max_age_s: number }): string {
  const secure = options.is_https ? "; Secure" : "";
  return `${cookieName(name, options.is_https)}=${value}; Path=/; Max-Age=${options.max_age_s}; HttpOnly; SameSite=Lax${secure}`;
}

/** Returns the request's cookies by name. If two cookies have the same name, the first one counts. */
export function cookiesOf(request: Request): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [key = "", ...value] = pair.split("=");
    const name = key.trim();
    if (name && !cookies.has(name)) cookies.set(name, value.join("=").trim());
  }
  return cookies;
}

/** Returns the value of a cookie in the request, or null. */
export function readCookie(request: Request, name: string): string | null {
  const wanted = cookieName(name, new URL(request.url).protocol === "https:");
  return cookiesOf(request).get(wanted) ?? null;
}

/** Collects Set-Cookie lines while a request is answered; the outermost middleware writes them. */
export class CookieJar {
  readonly #request: Request;
  readonly #lines = new Map<string, string>();

  constructor(request: Request) {
    this.#request = request;
  }

  read(name: string): string | null {
    return readCookie(this.#request, name);
  }

  set(name: string, value: string, max_age_s: number): void {
    const is_https = new URL(this.#request.url).protocol === "https:";
    this.#lines.set(name, setCookie(name, value, { is_https, max_age_s }));
  }

  /** Removes the cookie if the browser sent it. */
  clear(name: string): void {
    if (this.read(name) === null) this.#lines.delete(name);
    else this.set(name, "", 0);
  }

  lines(): string[] {
    return [...this.#lines.values()];
  }
}
