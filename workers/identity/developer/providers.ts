/** The providers that the developer identity provider imitates, and its demo users. */

export interface StandIn {
  /** The provider's name as users know it, such as "Google". */
  name: string;
  /** Whether the provider tells the user's e-mail address. False for X, which never reveals it. */
  tells_email: boolean;
  /** How the provider calls back. Apple makes the browser post a form from Apple's site. */
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

/** Returns the `iss` of the provider's tokens. It is not a real URL, so nothing resolves it. */
export function issuerOf(provider_id: string): string {
  return `https://${provider_id}.developer-idp.invalid`;
}

/** A user of the imitated provider. */
export interface DeveloperPerson {
  name: string;
  email: string | null;
  email_verified: boolean;
}

/** The demo users that one click chooses. */
export const people: readonly DeveloperPerson[] = [
  { name: "開発 花子", email: "hanako@developer.example", email_verified: true },
  { name: "試験 太郎", email: "taro@developer.example", email_verified: true },
  { name: "アドレス未確認の人", email: "unverified@developer.example", email_verified: false },
  { name: "アドレスを知らせない人", email: null, email_verified: false },
];
