/**
 * Another service that people can sign in with. This file has no imports, because pages show the names in the browser.
 */
export interface IdentityProvider {
  /** The provider's name in our addresses. */
  slug: "google" | "apple" | "x" | "line";
  /** The provider's id at the identity provider. */
  provider_id: string;
  name: string;
}

export const identityProviders: readonly IdentityProvider[] = [
  { slug: "google", provider_id: "google.com", name: "Google" },
  { slug: "apple", provider_id: "apple.com", name: "Apple" },
  { slug: "x", provider_id: "twitter.com", name: "X" },
  { slug: "line", provider_id: "oidc.line", name: "LINE" },
];

/** Finds a provider by slug or by the identity provider's id. */
export function identityProvider(name: string | undefined): IdentityProvider | undefined {
  return identityProviders.find(({ slug, provider_id }) => slug === name || provider_id === name);
}

export const callbackPath = ({ slug }: IdentityProvider): string => `/login/callback/${slug}`;

/** The origins that sign-in forms may redirect to (CSP). docs/operations.md lists what each provider needs. */
export const PROVIDER_ORIGINS = [
  "https://accounts.google.com",
  "https://appleid.apple.com",
  "https://x.com",
  "https://twitter.com",
  "https://api.twitter.com",
  "https://api.x.com",
  "https://access.line.me",
];
