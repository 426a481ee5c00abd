/**
 * The pages that stay open under maintenance. Source: spec section 4, Maintenance: home, /terms, /transactions,
 * /usecases and /404.
 */
const pages = new Set(["/", "/terms", "/transactions", "/usecases", "/404"]);
/**
 * Addresses that are not pages and stay open: the files that crawlers and other programs request, and the route list that
 * React Router requests on an open page.
 */
const files = /^\/(?:robots\.txt|\.well-known\/[^/]+|sitemap\.xml|sitemap\/[^/]+|__manifest)$/;

/**
 * The actions of forms that stay open, because they do not need the product's API: the theme is a cookie, and the
 * identity service handles the log-out.
 */
const forms = new Set(["/theme", "/logout"]);

/** Whether a form sent to this path is accepted under maintenance. */
export const isTakenUnderMaintenance = (pathname: string) => forms.has(pathname);

/** Whether this path is open under maintenance. Compares like the router: ignores case and a trailing slash. */
export function isOpenUnderMaintenance(pathname: string): boolean {
  const path =
    decodeURIComponent(pathname)
      .toLowerCase()
      .replace(/(?<!\/)\/+$/, "") || "/";
  return pages.has(path) || files.test(path);
}
