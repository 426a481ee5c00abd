import * as z from "zod";
import { noticeHeadings, type SiteDescription } from "../../app/site/site.ts";
import { isInvoiceNumber } from "../contract/invoice-number.ts";
import { isLocal } from "../verifier/deployment.ts";

/** A text that must be filled in. */
const said = z.string().trim().min(1, "is empty").max(2000, "is too long");
/** The target of a link: one of our paths, or another site over https. */
const place = z.union(
  [z.string().regex(/^\/(?!\/)[\w/#?=&.-]*$/), z.url({ protocol: /^https$/, hostname: /^[^.].*\.[a-z0-9-]{2,}$/i })],
  "is neither an https address nor a path of this site",
);

const notice = z.strictObject({
  ...(Object.fromEntries(Object.keys(noticeHeadings).map((field) => [field, said])) as Record<
    keyof typeof noticeHeadings,
    typeof said
  >),
  phone: said.regex(/^\+?[\d() -]{9,20}$/, "is no telephone number"),
  email: said.pipe(z.email("is no e-mail address")),
});

const site = z.strictObject({
  company_name: said,
  company_url: place,
  faq_url: place,
  feedback_url: place,
  guide_url: place,
  siblings: z.array(z.strictObject({ name: said, url: place })).max(20),
  notice,
  revised_on: z.iso.date("is no day such as 2026-11-20"),
  invoice_number: z.string().refine(isInvoiceNumber, "is no registration number such as T7000012050002").optional(),
}) satisfies z.ZodType<SiteDescription>;

/** Placeholder texts of the demo's description. A real site must replace them. */
const PLACEHOLDER = /（デモ）|（例）|\.example\b|\bexample\.(?:com|net|org|jp)\b/;

/**
 * Reads the variable `SITE`. Returns the description, or the reasons why it is invalid, each a sentence. On a public
 * site, placeholder names are invalid too: the legal notice must be true.
 */
export function readSite(
  json: string,
  environment: string,
): { site: SiteDescription; breaches: [] } | { breaches: string[] } {
  const value = parseJson(json);
  if (value === undefined) return { breaches: ["SITE is missing or no JSON: see deploy/site.example.json"] };
  const { data, error } = site.safeParse(value);
  if (!data) {
    return { breaches: error.issues.map(({ path, message }) => `SITE: ${path.join(".") || "it"} ${message}`) };
  }
  const breaches = isLocal(environment) ? [] : placeholdersIn(data);
  return breaches.length > 0 ? { breaches } : { site: data, breaches: [] };
}

/** Returns a sentence for each field with a placeholder. */
function placeholdersIn(value: unknown, path = ""): string[] {
  if (typeof value === "string") {
    const placeholder = PLACEHOLDER.exec(value)?.[0];
    return placeholder === undefined ? [] : [`SITE: ${path} contains the placeholder ${placeholder}`];
  }
  const fields = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return fields.flatMap(([name, field]) => placeholdersIn(field, path === "" ? name : `${path}.${name}`));
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
