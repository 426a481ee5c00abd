import type { Route } from "./+types/robots.ts";

/** Excludes members' own pages and the sign-in pages from search engines. Source: RFC 9309. */
export function loader({ url }: Route.LoaderArgs) {
  const rules = ["User-agent: *", "Disallow: /my/", "Disallow: /logout", "Disallow: /signup/", "Disallow: /dev/"];
  const body = `${rules.join("\n")}\n\nSitemap: ${url.origin}/sitemap.xml\n`;
  return new Response(body, { headers: { "content-type": "text/plain; charset=utf-8" } });
}
