import { AGE_OF_MAJORITY, MIN_AGE } from "../../contract/bounds.ts";
import { isOperatorsLinkId } from "../../contract/names.ts";
import { ROUTE_NAMES } from "../../contract/route-names.ts";
import { japaneseYearOf } from "../../kernel/clock.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Creates the first link_id of a new user: `user_` and ten random characters. */
export function randomLinkId(): string {
  const random = crypto.getRandomValues(new Uint8Array(10));
  return `user_${Array.from(random, (byte) => LETTERS[byte % LETTERS.length]).join("")}`;
}

/** First path segments that other services of this origin use, and names that people could mistake for ours. */
const RESERVED_NAMES = new Set(
  `api app assets constructor emulator identity media moderator null operator root security service_accounts session
  share_images static system undefined v2 v4 www`.split(/\s+/),
);

/** Whether nobody may choose this link_id. */
export function isReservedLinkId(link_id: string): boolean {
  return ROUTE_NAMES.includes(link_id) || RESERVED_NAMES.has(link_id) || isOperatorsLinkId(link_id);
}

/** Returns the age that a person born in `birth_year` reaches in the current Japanese calendar year. */
function ageReachedThisYear(birth_year: number, now_ms: number): number {
  return japaneseYearOf(now_ms) - birth_year;
}

/** Returns why a person born in this year may not register, or null. */
export function ageRefusal(
  { birth_year, guardian_consent }: { birth_year?: number; guardian_consent?: true },
  now_ms: number,
): "under_age" | "guardian_consent_required" | null {
  if (birth_year === undefined) return null;
  const age = ageReachedThisYear(birth_year, now_ms);
  if (age < MIN_AGE) return "under_age";
  return age < AGE_OF_MAJORITY && !guardian_consent ? "guardian_consent_required" : null;
}

/** Returns why an address is not a link to the site, or null. A site without `hosts` accepts any address. */
export function linkRefusal(site: { name: string; hosts?: readonly string[] }, url: string): string | null {
  const { hostname } = new URL(url);
  const is_on_site = !site.hosts || site.hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`));
  return is_on_site ? null : `${site.name}のURLを入力してください。`;
}
