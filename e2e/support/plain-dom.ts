/** Roles, names and visibility in a parsed page, as far as HTML alone defines them. Source: HTML-AAM, accname 1.2. */

export type Pattern = string | RegExp;

interface Text {
  type: string;
  data: string;
}
/** The properties used here of the parser's elements (domhandler). */
export interface Element {
  name: string;
  attribs: Record<string, string>;
  children: (Element | Text)[];
  parent: unknown;
}
type Find = (selector: string) => Element[];

const isElement = (node: Element | Text): node is Element => "attribs" in node;
/** Comments have data as well. */
const dataOf = (node: Text): string => (node.type === "text" ? node.data : "");

export const normalize = (text: string) =>
  text
    .replace(/[\u200b\u00ad]/g, "")
    .replace(/\s+/g, " ")
    .trim();

/** Compares texts as Playwright does: ignores case and spaces, and finds a part unless the match must be exact. */
export function says(text: string, wanted: Pattern, is_exact: boolean, is_case_kept = is_exact): boolean {
  const said = normalize(text);
  if (typeof wanted !== "string") return wanted.test(said);
  const [given, sought] = is_case_kept
    ? [said, normalize(wanted)]
    : [said.toLowerCase(), normalize(wanted).toLowerCase()];
  return is_exact ? given === sought : given.includes(sought);
}

/** Returns all text inside, like `textContent`, without scripts and styles. */
export function textOf(element: Element): string {
  if (/^(script|style|head|template)$/.test(element.name)) return "";
  return element.children.map((child) => (isElement(child) ? textOf(child) : dataOf(child))).join("");
}

function lineageOf(element: Element): Element[] {
  const parent = element.parent as Element | null;
  return parent?.attribs ? [element, ...lineageOf(parent)] : [element];
}

/** Selectors that the stylesheets hide on a phone, where no attribute says so. */
export const STYLED_AWAY = [
  ".drawer-fixed",
  ".search-box",
  ".header-user",
  ".viewer",
  ".not-yet",
  ...["now", "at", "private"].flatMap((when) => {
    const others = ["now", "at", "private"].filter((each) => each !== when).map((each) => `.when-${each}`);
    return others.map((other) => `.post-form:has([name="when"][value="${when}"]:checked) ${other}`);
  }),
  'form:not(:has([name="price"][value="own"]:checked)) .own-amount',
  'form:not(:has([name="donation_campaign_id"]:checked:not([value=""]))) .donation-percent',
].join(", ");
/** The elements of the page that match {@link STYLED_AWAY}. */
export type StyledAway = ReadonlySet<Element>;

function isTakenOut(element: Element, below: Element | undefined, away: StyledAway): boolean {
  const { name, attribs } = element;
  if (away.has(element) || "hidden" in attribs || /^(head|script|style|template|datalist)$/.test(name)) return true;
  if (name === "input" && attribs.type === "hidden") return true;
  if ((name === "dialog" || "popover" in attribs) && !("open" in attribs)) return true;
  return name === "details" && !("open" in attribs) && below !== undefined && below.name !== "summary";
}

/** Returns true when a person sees the element. */
export function isShown(element: Element, away: StyledAway): boolean {
  return !lineageOf(element).some((each, index, all) => isTakenOut(each, all[index - 1], away));
}

/** Returns true when assistive technology ignores the element. */
export function isHidden(element: Element, away: StyledAway): boolean {
  return !isShown(element, away) || lineageOf(element).some(({ attribs }) => attribs["aria-hidden"] === "true");
}

const ROLES: Record<string, string> = {
  article: "article",
  aside: "complementary",
  button: "button",
  dialog: "dialog",
  fieldset: "group",
  h1: "heading",
  h2: "heading",
  h3: "heading",
  h4: "heading",
  h5: "heading",
  h6: "heading",
  li: "listitem",
  main: "main",
  nav: "navigation",
  ol: "list",
  output: "status",
  search: "search",
  select: "combobox",
  textarea: "textbox",
  ul: "list",
};
const INPUT_ROLES: Record<string, string> = {
  button: "button",
  checkbox: "checkbox",
  email: "textbox",
  radio: "radio",
  search: "searchbox",
  submit: "button",
  tel: "textbox",
  text: "textbox",
  url: "textbox",
};
const SECTIONING = /^(article|aside|main|nav|section)$/;

export function roleOf(element: Element, find: Find): string | undefined {
  const { name, attribs } = element;
  if (attribs.role) return attribs.role.split(" ")[0];
  if (name === "a") return "href" in attribs ? "link" : undefined;
  if (name === "img") return attribs.alt === "" ? "presentation" : "img";
  if (name === "input") return INPUT_ROLES[attribs.type ?? "text"];
  if (name === "header" || name === "footer") {
    const is_of_page = !lineageOf(element)
      .slice(1)
      .some((each) => SECTIONING.test(each.name));
    return is_of_page ? (name === "header" ? "banner" : "contentinfo") : undefined;
  }
  // A section or form is a landmark only if it has a name.
  if (name === "section" || name === "form") {
    return nameOf(element, find, new Set()) ? (name === "section" ? "region" : "form") : undefined;
  }
  return ROLES[name];
}

/** Roles whose name may come from their content. */
const NAMED_BY_CONTENT = /^(button|heading|link|option|tab|menuitem)$/;
const INLINE = /^(a|abbr|b|bdi|code|data|em|i|kbd|label|mark|rp|rt|ruby|s|small|span|strong|sub|sup|time|u|wbr)$/;

/**
 * Returns the text that names consist of: pictures' alternative texts, and nothing hidden from assistive technology.
 */
function spokenText(element: Element, away: StyledAway): string {
  if (element.attribs["aria-hidden"] === "true" || "hidden" in element.attribs || away.has(element)) return "";
  if (element.attribs["aria-label"]) return element.attribs["aria-label"];
  if (element.name === "img") return element.attribs.alt ?? "";
  if (/^(script|style|textarea|select|input|template)$/.test(element.name)) return "";
  const inside = element.children.map((child) => (isElement(child) ? spokenText(child, away) : dataOf(child))).join("");
  return INLINE.test(element.name) ? inside : ` ${inside} `;
}

/**
 * Returns the accessible name.
 *
 * @param by "label" returns what `getByLabel` compares: a label's text, but not a button's content.
 */
export function nameOf(element: Element, find: Find, away: StyledAway, by: "role" | "label" = "role"): string {
  const { name, attribs } = element;
  if (attribs["aria-labelledby"]) {
    const labels = attribs["aria-labelledby"].split(/\s+/).flatMap((id) => find(`[id="${id}"]`));
    if (labels.length > 0) return normalize(labels.map((each) => spokenText(each, away)).join(" "));
  }
  if (attribs["aria-label"]) return normalize(attribs["aria-label"]);
  if (/^(input|select|textarea)$/.test(name)) {
    const around = lineageOf(element).filter((each) => each.name === "label");
    const labels = [...around, ...(attribs.id ? find(`label[for="${attribs.id}"]`) : [])];
    if (labels.length > 0) return normalize(labels.map((each) => spokenText(each, away)).join(" "));
    if (attribs.type === "submit" || attribs.type === "button") return attribs.value ?? "";
    return by === "role" ? normalize(attribs.title ?? attribs.placeholder ?? "") : "";
  }
  if (by === "label") return "";
  if (name === "img") return normalize(attribs.alt ?? "");
  if (name === "fieldset") {
    const legend = element.children.find((child) => isElement(child) && child.name === "legend") as Element | undefined;
    return legend ? normalize(spokenText(legend, away)) : "";
  }
  const role = attribs.role ?? ROLES[name] ?? (name === "a" ? "link" : undefined);
  if (role && NAMED_BY_CONTENT.test(role)) {
    const inside = normalize(spokenText(element, away));
    if (inside) return inside;
  }
  return normalize(attribs.title ?? "");
}
