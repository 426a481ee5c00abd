/** Forms as a browser without JavaScript finds and sends them. */

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'", "#39": "'" };

function decoded(html: string): string {
  return html.replace(/&(#?\w+);/g, (entity, name: string) => entities[name] ?? entity);
}

/** The fields that the page's form to `action` would send, or null where the page has no such form with a text in it. */
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
    // A line break right after the tag is the markup's, not the text's. Source: HTML, "textarea".
    fields[name] = decoded(text.replace(/^\n/, ""));
  }
  return fields;
}
