/** Finds and sends forms as a browser without JavaScript does. */

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'", "#39": "'" };

function decoded(html: string): string {
  return html.replace(/&(#?\w+);/g, (entity, name: string) => entities[name] ?? entity);
}

/**
 * Returns the fields that the page's form to `action` would send, or null if the page has no such form with a text
 * field.
 */
export function fieldsOf(page: string, action: string): Record<string, string> | null {
  const forms = [...page.matchAll(/<form\b[^>]*\baction="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)];
  const form = forms.find(([, to, inside = ""]) => to === action && inside.includes("<textarea"))?.[2];
  if (form === undefined) return null;
  const fields: Record<string, string> = {};
  for (const [input] of form.matchAll(/<input\b[^>]*>/g)) {
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1];
    const name = attribute("name");
    if (!name || (attribute("type") === "checkbox" && !/\bchecked\b/.test(input))) continue;
    fields[name] = decoded(attribute("value") ?? "on");
  }
  for (const [, name = "", text = ""] of form.matchAll(
    /<textarea\b[^>]*\bname="([^"]*)"[^>]*>([\s\S]*?)<\/textarea>/g,
  )) {
    // A line break right after the tag belongs to the markup, not to the text. Source: HTML, "textarea".
    fields[name] = decoded(text.replace(/^\n/, ""));
  }
  return fields;
}

/** Returns the visible values of the page's fields, as `name=value`. */
export function shownFields(page: string): string[] {
  const inputs = [...page.matchAll(/<input\b[^>]*>/g)].flatMap(([input]) => {
    const attribute = (name: string) => decoded(new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1] ?? "");
    return attribute("type") === "hidden" ? [] : [`${attribute("name")}=${attribute("value")}`];
  });
  const areas = page.matchAll(/<textarea\b[^>]*\bname="([^"]*)"[^>]*>([\s\S]*?)<\/textarea>/g);
  return [...inputs, ...[...areas].map(([, name, text = ""]) => `${name}=${decoded(text.replace(/^\n/, ""))}`)];
}
