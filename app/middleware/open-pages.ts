/** What stays open under maintenance. Source: spec section 4, Maintenance: home, /terms, /transactions, /usecases and /404. */
const pages = new Set(["/", "/terms", "/transactions", "/usecases", "/404"]);
/** No pages: what crawlers ask by themselves, and the list of routes an open page may ask the router for. */
const files = /^\/(?:robots\.txt|sitemap\.xml|sitemap\/[^/]+|__manifest)$/;

/** How pages look is kept in the browser, who is signed in by the identity service: nothing of either is the product's. */
const forms = new Set(["/theme", "/logout"]);

/** Whether a form sent to this path is accepted under maintenance. */
export const isTakenUnderMaintenance = (pathname: string) => forms.has(pathname);

/** Whether what this path asks for is shown under maintenance. Compares as routes do: any case, a slash at the end or none. */
export function isOpenUnderMaintenance(pathname: string): boolean {
  const path = decodeURIComponent(pathname).toLowerCase().replace(/\/+$/, "") || "/";
  return pages.has(path) || files.test(path);
}
