/**
 * First segments of the app's addresses. scripts/typegen.ts writes this list from the route table, and a test compares
 * the two.
 */
export const ROUTE_NAMES: readonly string[] = [
  "404",
  "dev",
  "goodbye",
  "help",
  "kit",
  "login",
  "logout",
  "maintenance",
  "my",
  "news",
  "oembed",
  "privacy",
  "redirect",
  "search",
  "session",
  "signup",
  "sitemap",
  "styleguide",
  "terms",
  "theme",
  "transactions",
  "usecases",
];
