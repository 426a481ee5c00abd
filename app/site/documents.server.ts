import { EMBEDS_IN_A_DOCUMENT, LETTER_GRAPHEMES, LINKS_IN_A_DOCUMENT } from "../../workers/contract/bounds.ts";
import { groupDigits } from "../../workers/contract/group-digits.ts";
import {
  FREE_OFUSES_A_DAY,
  MINOR_LIMITS,
  NEWSLETTERS_A_MONTH,
  PAID_OFUSE_MAX_YEN,
  PAID_OFUSE_MIN_YEN,
  PAYOUT_FEE_YEN,
  PAYOUT_MIN_YEN,
  PLAN_MAX_YEN,
  PLAN_MIN_YEN,
  PLATFORM_FEE_PERCENT,
  YEN_PER_CHARACTER,
} from "../../workers/contract/limits.ts";
import { features } from "./features.ts";
import { readMarkdown, type Section } from "./markdown.server.ts";
import type { Site } from "./site.ts";

const sources = import.meta.glob<string>("../documents/*.md", { query: "?raw", import: "default", eager: true });

/** The data of a document's page. */
export interface Document {
  title: string;
  description: string;
  lead: string;
  /** The date of the last revision, for legal texts. */
  revised_on: string | null;
  sections: readonly Section[];
}

/**
 * The values that documents insert: limits and the operator's data. Documents never contain these values themselves, so
 * that they cannot contradict the code.
 */
function valuesOf({ company_name, notice }: Site, origin: string): Record<string, string> {
  return {
    company: company_name,
    email: notice.email,
    origin,
    ofuse_min: groupDigits(PAID_OFUSE_MIN_YEN),
    ofuse_max: groupDigits(PAID_OFUSE_MAX_YEN),
    yen_per_character: groupDigits(YEN_PER_CHARACTER),
    letter_length: groupDigits(LETTER_GRAPHEMES),
    post_embeds: groupDigits(EMBEDS_IN_A_DOCUMENT),
    post_links: groupDigits(LINKS_IN_A_DOCUMENT),
    free_a_day: groupDigits(FREE_OFUSES_A_DAY),
    newsletters_a_month: groupDigits(NEWSLETTERS_A_MONTH),
    ...Object.fromEntries(MINOR_LIMITS.map(({ until_age, yen }) => [`minor_limit_${until_age}`, groupDigits(yen)])),
    plan_min: groupDigits(PLAN_MIN_YEN),
    plan_max: groupDigits(PLAN_MAX_YEN),
    fee_percent: groupDigits(PLATFORM_FEE_PERCENT),
    payout_min: groupDigits(PAYOUT_MIN_YEN),
    payout_fee: groupDigits(PAYOUT_FEE_YEN),
  };
}

/**
 * Reads `app/documents/<name>.md`. Throws if there is no such file, or if its title, description or lead is missing.
 */
export function readDocument(name: string, site: Site, origin: string): Document {
  const source = sources[`../documents/${name}.md`];
  if (source === undefined) throw new Error(`no document ${name}`);
  const { is_google_told: google, has_recaptcha: recaptcha, has_firestore: firestore } = site;
  const flags = {
    ...features,
    ...{ google, recaptcha, firestore, direct: recaptcha || firestore },
    // The sites on Cloudflare, and they alone, keep their accounts at Firebase (docs/decisions/0052).
    firebase: recaptcha,
    outside_ways: site.has_outside_ways,
    money: site.takes_money,
  };
  const { front, sections } = readMarkdown(source, valuesOf(site, origin), flags);
  const requiredField = (key: string): string => {
    const value = front.get(key);
    if (value === undefined) throw new Error(`the document ${name} has no ${key}`);
    return value;
  };
  return {
    title: requiredField("title"),
    description: requiredField("description"),
    lead: requiredField("lead"),
    revised_on: front.get("revised") ?? null,
    sections,
  };
}
