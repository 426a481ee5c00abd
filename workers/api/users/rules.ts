import { AGE_OF_MAJORITY, MIN_AGE } from "../../contract/bounds.ts";
import { isOperatorsLinkId } from "../../contract/names.ts";
import { ROUTE_NAMES } from "../../contract/route-names.ts";
import { japaneseYearOf } from "../../kernel/clock.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** A link_id for somebody who has not chosen one: `user_` and ten random letters. */
export function randomLinkId(): string {
  const random = crypto.getRandomValues(new Uint8Array(10));
  return `user_${Array.from(random, (byte) => LETTERS[byte % LETTERS.length]).join("")}`;
}

/** First segments that other services of this origin answer, and names that would pass for ours. */
const OURS = new Set(
  `api app assets constructor emulator identity media moderator null operator root security service_accounts session
  share_images static system undefined v2 v4 www`.split(/\s+/),
);

/** Whether no person may be called so in addresses. */
export function isReservedLinkId(link_id: string): boolean {
  return ROUTE_NAMES.includes(link_id) || OURS.has(link_id) || isOperatorsLinkId(link_id);
}

/** The age somebody born in this year reaches in the calendar year that it is in Japan. */
function ageReachedThisYear(birth_year: number, now_ms: number): number {
  return japaneseYearOf(now_ms) - birth_year;
}

/** Why somebody born in this year may not register; null where they may. */
export function ageRefusal(
  { birth_year, guardian_consent }: { birth_year?: number; guardian_consent?: true },
  now_ms: number,
): "under_age" | "guardian_consent_required" | null {
  if (birth_year === undefined) return null;
  const age = ageReachedThisYear(birth_year, now_ms);
  if (age < MIN_AGE) return "under_age";
  return age < AGE_OF_MAJORITY && !guardian_consent ? "guardian_consent_required" : null;
}

/** Why this address is no link to that site; null where it is. A site of which no hosts are known takes any. */
export function linkRefusal(site: { name: string; hosts?: readonly string[] }, url: string): string | null {
  const { hostname } = new URL(url);
  const is_there = !site.hosts || site.hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`));
  return is_there ? null : `${site.name}のURLを入力してください。`;
}
