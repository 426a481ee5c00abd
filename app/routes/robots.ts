import type { Route } from "./+types/robots.ts";

/** What is a member's own, and the ways in and out, are no search results. Source: RFC 9309. */
export function loader({ url }: Route.LoaderArgs) {
  const rules = ["User-agent: *", "Disallow: /my/", "Disallow: /logout", "Disallow: /signup/", "Disallow: /dev/"];
  const body = `${rules.join("\n")}\n\nSitemap: ${url.origin}/sitemap.xml\n`;
  return new Response(body, { headers: { "content-type": "text/plain; charset=utf-8" } });
}
