/** Rules of settings that a demo, a site on one machine and a deployment share. Each function returns a sentence for each fault. */
import { createECDH } from "node:crypto";
import { statedMaintenance } from "../workers/contract/maintenance.ts";

/** Returns a setting's value; undefined when its default counts. */
type Given = (name: string) => string | undefined;

/** The limits of the identity provider: workers/identity/wrangler.toml. */
export const limitNames = [
  "SIGN_IN_FAILURES_PER_ACCOUNT_HOUR",
  "SIGN_IN_FAILURES_PER_ADDRESS_10_MIN",
  "SIGN_UPS_PER_ADDRESS_HOUR",
  "MAILS_PER_RECIPIENT_HOUR",
  "MAILS_PER_ADDRESS_HOUR",
  "LINK_FAILURES_PER_ADDRESS_10_MIN",
  "SECOND_FACTOR_FAILURES_PER_ACCOUNT_HOUR",
] as const;
/** The limits of codes by SMS, which a site on one machine does not send. */
const smsLimitNames = ["CODES_PER_NUMBER_HOUR", "CODES_PER_NUMBER_AND_ADDRESS_HOUR", "CODES_PER_ADDRESS_HOUR"] as const;

/** A limit that is empty or no number would refuse every sign-in. */
export function limitFaults(given: Given): string[] {
  return [...limitNames, ...smsLimitNames].flatMap((name) => {
    const value = given(name);
    return value === undefined || /^[1-9]\d*$/.test(value) ? [] : [`${name} "${value}" is not a whole number from 1`];
  });
}

/** As workers/web/metrics.ts wants it. */
const METRICS_KEY_LENGTH = 32;

export function watchFaults(given: Given): string[] {
  const { length } = given("METRICS_KEY") ?? "";
  const log_level = given("LOG_LEVEL") ?? "";
  return [
    ...(length > 0 && length < METRICS_KEY_LENGTH
      ? [`METRICS_KEY has fewer than ${METRICS_KEY_LENGTH} characters`]
      : []),
    ...(["", "info", "warn", "error"].includes(log_level)
      ? []
      : [`LOG_LEVEL "${log_level}" is not info, warn or error`]),
  ];
}

/** A statement that the web worker cannot read would leave the site open. */
export function maintenanceFaults(given: Given): string[] {
  const text = given("MAINTENANCE") ?? "";
  return text.trim() === "" || statedMaintenance.safeParse(parseJson(text)).success
    ? []
    : [`MAINTENANCE "${text}" states nothing that the worker can read`];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const pushNames = ["WEB_PUSH_PUBLIC_KEY", "WEB_PUSH_PRIVATE_KEY", "WEB_PUSH_SUBJECT"] as const;

export function pushFaults(given: Given): string[] {
  const [public_key = "", private_key = "", subject = ""] = pushNames.map(given);
  const empty = pushNames.filter((name) => !given(name));
  if (empty.length === pushNames.length) return [];
  if (empty.length > 0) {
    return [`Of the settings for push notifications ${empty.join(" and ")} is empty: fill in all three, or none`];
  }
  return [
    ...(isKeyPair(public_key, private_key)
      ? []
      : [
          'WEB_PUSH_PUBLIC_KEY and WEB_PUSH_PRIVATE_KEY are no pair of keys: docs/operations.md, "Push notifications", makes one',
        ]),
    ...(/^mailto:[^\s@]+@[^\s@]+$/.test(subject) || (subject.startsWith("https://") && URL.canParse(subject))
      ? []
      : [`WEB_PUSH_SUBJECT "${subject}" is neither mailto:... nor https://...`]),
  ];
}

/** Whether two texts are the public and the private key of one VAPID pair (RFC 8292): P-256, in base64url. */
function isKeyPair(public_key: string, private_key: string): boolean {
  const pair = createECDH("prime256v1");
  try {
    pair.setPrivateKey(private_key, "base64url");
  } catch {
    return false;
  }
  return pair.getPublicKey("base64url") === public_key && pair.getPrivateKey("base64url") === private_key;
}
