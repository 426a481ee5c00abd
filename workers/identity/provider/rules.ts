import { NAME_GRAPHEMES, PASSWORD_BYTES, PASSWORD_GRAPHEMES } from "../../contract/bounds.ts";
import { countBytes } from "../../contract/graphemes.ts";
import { toNormalForm } from "../../contract/normal-form.ts";
import type { MailLanguage } from "../../contract/notifications.ts";
import { EMAIL_BYTES, EMAIL_PATTERN, findPasswordFault, type PasswordFault, text } from "../../contract/text.ts";
import type { Account, LinkedIdentity, OobRequestType } from "../storage/schema.ts";
import { Refusal } from "./refusal.ts";

/** The provider's rules for input and output. It reads no storage. */

/** Returns the address in its stored spelling. Throws INVALID_EMAIL. */
export function normaliseEmail(typed: string): string {
  const email = toNormalForm(typed).trim().toLowerCase();
  if (!EMAIL_PATTERN.test(email) || countBytes(email) > EMAIL_BYTES) throw new Refusal("INVALID_EMAIL");
  return email;
}

/** The header with the language that an SDK's caller chose (`auth.languageCode`), as Firebase reads it. */
export const LOCALE_HEADER = "x-firebase-locale";

/** Returns the language to write in, from a language tag such as `en-US`. Japanese for an unknown or missing one. */
export function languageOf(tag = ""): MailLanguage {
  return /^en(?:-|$)/i.test(tag) ? "en" : "ja";
}

/** The password rules as an SDK reads them. The SDK counts UTF-16 units, so its maximum must not be stricter. */
export const passwordPolicy = {
  customStrengthOptions: { minPasswordLength: PASSWORD_GRAPHEMES.min, maxPasswordLength: PASSWORD_BYTES },
  allowedNonAlphanumericCharacters: [],
  enforcementState: "ENFORCE",
  forceUpgradeOnSignin: false,
  schemaVersion: 1,
};

const requirements: Record<Exclude<PasswordFault, "too_short">, string> = {
  characters: "Password may not contain control characters",
  too_long: `Password may contain at most ${PASSWORD_GRAPHEMES.max} characters`,
  too_many_bytes: `Password may contain at most ${PASSWORD_BYTES} bytes`,
};

/**
 * Checks a new password. Throws WEAK_PASSWORD when it is too short, PASSWORD_DOES_NOT_MEET_REQUIREMENTS when it is too
 * long or has control characters.
 */
export function checkNewPassword(password: string): void {
  const fault = findPasswordFault(password);
  if (!fault) return;
  if (fault === "too_short") {
    throw new Refusal("WEAK_PASSWORD", `Password should be at least ${PASSWORD_GRAPHEMES.min} characters`);
  }
  const requirement = `Missing password requirements: [${requirements[fault]}]`;
  throw new Refusal("PASSWORD_DOES_NOT_MEET_REQUIREMENTS", requirement);
}

const displayName = text({ label: "名前", min: 0, max: NAME_GRAPHEMES });

/** Returns a display name as stored, or null for an empty name. Throws INVALID_DISPLAY_NAME. */
export function checkDisplayName(typed: string): string | null {
  const checked = displayName.safeParse(typed);
  if (!checked.success) throw new Refusal("INVALID_DISPLAY_NAME");
  return checked.data || null;
}

const LOCAL_ID_LENGTH = 28;
const LETTERS_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/**
 * Returns 28 random letters and digits, like Firebase's ids. They have more than 128 bits of entropy, even though the
 * remainder favours some letters.
 */
export function newLocalId(): string {
  const random = crypto.getRandomValues(new Uint8Array(LOCAL_ID_LENGTH));
  return Array.from(random, (byte) => LETTERS_AND_DIGITS[byte % LETTERS_AND_DIGITS.length]).join("");
}

/** How long a sign-in counts as recent: five minutes. Source: Firebase, "Re-authenticate a user". */
const RECENT_SIGN_IN_S = 5 * 60;

/**
 * Throws CREDENTIAL_TOO_OLD_LOGIN_AGAIN unless the person signed in (`auth_time`, seconds) within the last five
 * minutes.
 */
export function requireRecentSignIn(auth_time: number, now_ms: number): void {
  if (auth_time < Math.floor(now_ms / 1000) - RECENT_SIGN_IN_S) throw new Refusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN");
}

/** Returns true when a proof given at `seconds` is older than the account's `valid_since`. */
export function isProofVoid(seconds: number, account: Pick<Account, "valid_since">): boolean {
  return seconds < Math.floor(Date.parse(account.valid_since) / 1000);
}

/** Masks a telephone number: `+********5678`. */
export function maskNumber(phone_number: string): string {
  return phone_number.replace(/\d(?=\d{4})/g, "*");
}

const MAX_PHOTO_URL = 2048;

/** Returns the picture's URL, or null for an empty text. Throws INVALID_PHOTO_URL. */
export function checkPhotoUrl(typed: string): string | null {
  if (typed === "") return null;
  const url = URL.canParse(typed) ? new URL(typed) : null;
  const is_web = url?.protocol === "https:" || url?.protocol === "http:";
  if (!url || !is_web || url.href.length > MAX_PHOTO_URL) throw new Refusal("INVALID_PHOTO_URL");
  return url.href;
}

/** The `mode` parameter of Firebase's links, by kind of code. Source: its "Create custom email action handlers". */
const modes: Record<OobRequestType, string> = {
  VERIFY_EMAIL: "verifyEmail",
  PASSWORD_RESET: "resetPassword",
  EMAIL_SIGNIN: "signIn",
  VERIFY_AND_CHANGE_EMAIL: "verifyAndChangeEmail",
  RECOVER_EMAIL: "recoverEmail",
};

/** Returns the `mode` of the links for this kind of code. */
export function modeOf(request_type: OobRequestType): string {
  return modes[request_type];
}

/** Returns the kind of code whose links have this `mode`, or undefined. */
export function requestTypeOf(mode: string): OobRequestType | undefined {
  return (Object.keys(modes) as OobRequestType[]).find((type) => modes[type] === mode);
}

/** Placeholder for the project's API key in mailed links: Firebase's SDK rejects a link without one. */
const NO_API_KEY = "none";

/**
 * Returns the URL of the page that handles a code. The URL contains no API key: with the key, every receiver of a mail
 * could ask the provider which addresses have an account. Drops a continue URL of another origin, which would be an
 * open redirect.
 */
export function actionLink(action_url: string, mode: string, code: string, continue_url?: string): string {
  const link = new URL(action_url);
  link.searchParams.set("mode", mode);
  link.searchParams.set("oobCode", code);
  link.searchParams.set("apiKey", NO_API_KEY);
  link.searchParams.set("lang", "ja");
  if (continue_url && URL.canParse(continue_url) && new URL(continue_url).origin === link.origin) {
    link.searchParams.set("continueUrl", continue_url);
  }
  return link.href;
}

/** Firebase's placeholder for a hidden hash (base64 of "REDACTED"). Its SDK only checks that a hash exists. */
const REDACTED = "UkVEQUNURUQ=";

/** Returns the account as `accounts:lookup` and `accounts:update` describe it. */
export function userInfo(account: Account, linked: LinkedIdentity[]) {
  const displayName = account.display_name ?? undefined;
  const email = account.email ?? undefined;
  return {
    localId: account.local_id,
    email,
    emailVerified: account.email_verified === 1,
    displayName,
    photoUrl: account.photo_url ?? undefined,
    phoneNumber: account.phone_number ?? undefined,
    providerUserInfo: [
      ...(email && account.signs_in_by_email
        ? [{ providerId: "password", federatedId: email, email, rawId: email, displayName }]
        : []),
      ...(account.phone_number
        ? [{ providerId: "phone", rawId: account.phone_number, phoneNumber: account.phone_number }]
        : []),
      ...linked.map((identity) => ({
        providerId: identity.provider_id,
        federatedId: identity.federated_id,
        rawId: identity.federated_id,
        email: identity.email ?? undefined,
        displayName: identity.display_name ?? undefined,
        photoUrl: identity.photo_url ?? undefined,
      })),
    ],
    passwordHash: account.password_hash ? REDACTED : undefined,
  };
}
