/** The providers that the developer identity provider stands in for, and the people who are known there. */

export interface StandIn {
  /** As people know it. */
  name: string;
  /** Whether it tells an address at all: X does not. */
  tells_email: boolean;
  /** How it calls back. Apple posts, from its own site. */
  response_mode: "query" | "form_post";
}

const standIns: Record<string, StandIn> = {
  "google.com": { name: "Google", tells_email: true, response_mode: "query" },
  "apple.com": { name: "Apple", tells_email: true, response_mode: "form_post" },
  "twitter.com": { name: "X", tells_email: false, response_mode: "query" },
  "oidc.line": { name: "LINE", tells_email: true, response_mode: "query" },
};

export function findStandIn(provider_id: string): StandIn | undefined {
  return Object.hasOwn(standIns, provider_id) ? standIns[provider_id] : undefined;
}

/** The `iss` of its tokens; a name that leads nowhere, as it is no address of anybody's. */
export function issuerOf(provider_id: string): string {
  return `https://${provider_id}.developer-idp.invalid`;
}

/** Who somebody is there. */
export interface DeveloperPerson {
  name: string;
  email: string | null;
  email_verified: boolean;
}

/** Those one can be at a click. */
export const people: readonly DeveloperPerson[] = [
  { name: "開発 花子", email: "hanako@developer.example", email_verified: true },
  { name: "試験 太郎", email: "taro@developer.example", email_verified: true },
  { name: "アドレス未確認の人", email: "unverified@developer.example", email_verified: false },
  { name: "アドレスを知らせない人", email: null, email_verified: false },
];
