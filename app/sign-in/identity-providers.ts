/** The other providers one may come in by. Imports nothing: pages show their names in the browser. */
export interface IdentityProvider {
  /** In our addresses. */
  slug: "google" | "apple" | "x" | "line";
  /** As the identity provider knows it. */
  provider_id: string;
  name: string;
}

export const identityProviders: readonly IdentityProvider[] = [
  { slug: "google", provider_id: "google.com", name: "Google" },
  { slug: "apple", provider_id: "apple.com", name: "Apple" },
  { slug: "x", provider_id: "twitter.com", name: "X" },
  { slug: "line", provider_id: "oidc.line", name: "LINE" },
];

/** By slug or by the identity provider's own id. */
export function identityProvider(name: string | undefined): IdentityProvider | undefined {
  return identityProviders.find(({ slug, provider_id }) => slug === name || provider_id === name);
}

export const callbackPath = ({ slug }: IdentityProvider): string => `/login/callback/${slug}`;

/** Where a form that starts there may be led. What each asks with: docs/operations.md. */
export const PROVIDER_ORIGINS = [
  "https://accounts.google.com",
  "https://appleid.apple.com",
  "https://x.com",
  "https://twitter.com",
  "https://api.twitter.com",
  "https://api.x.com",
  "https://access.line.me",
];
