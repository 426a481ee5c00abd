import { sharedPatterns } from "../middleware/shared-pages.ts";

/**
 * Shared pages that browsers do not prefetch: searches are rarely cached, forms are prepared per browser, files are not
 * pages.
 */
const NOT_ASKED_FOR = /^(?:search|login|signup)$|\.\w+$|\/likeness$/;
/** First path segments that no creator can have. Their pages depend on the viewer, or a GET of them has an effect. */
const NOT_CREATORS = [
  "404",
  "dev",
  "goodbye",
  "login",
  "logout",
  "maintenance",
  "my",
  "oembed",
  "operator",
  "redirect",
  "search",
  "signup",
  "styleguide",
  "theme",
];

/**
 * Lets browsers prefetch visitor pages before their link is clicked. Only pages that are the same for every visitor and
 * so come from the edge cache; never a page that acts, leaves the site, or is personal. Source: WICG, Speculation
 * Rules; HTML, 7.6.
 */
export function speculationRules() {
  const shared = [...sharedPatterns].filter((pattern) => !NOT_ASKED_FOR.test(pattern));
  const where = {
    and: [
      { href_matches: shared.map((pattern) => `/${pattern}`) },
      { not: { href_matches: NOT_CREATORS.flatMap((name) => [`/${name}`, `/${name}/*`]) } },
      { not: { selector_matches: "[rel~=nofollow]" } },
    ],
  };
  return { prefetch: [{ source: "document", where, eagerness: "moderate" }] };
}

export function loader() {
  return new Response(JSON.stringify(speculationRules()), {
    headers: { "content-type": "application/speculationrules+json" },
  });
}
