import { sharedPatterns } from "../middleware/shared-pages.ts";

/** Shared and yet not asked for: what is searched for is nobody else's, forms are for who sends them, files are no pages. */
const NOT_ASKED_FOR = /^(?:search|login|signup)$|\.\w+$|\/likeness$/;
/** First segments that no creator can have as a name, and whose pages are made for whoever asks, or do something. */
const NOT_CREATORS = [
  "404",
  "dev",
  "goodbye",
  "login",
  "logout",
  "maintenance",
  "my",
  "oembed",
  "redirect",
  "search",
  "signup",
  "styleguide",
  "theme",
];

/**
 * Which pages a browser may ask for a moment before their link is followed: those that are the same for every visitor, of which a copy is
 * at hand. Never what acts, what leads out of the site, or what is somebody's own. Source: WICG, Speculation Rules; HTML, 7.6.
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
