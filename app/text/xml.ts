/** Matches characters that XML 1.0 cannot contain, not even escaped. Source: XML 1.0, section 2.2. */
const UNSAYABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes a text for an element or an attribute. */
export function escapeXml(text: string): string {
  return text.replace(UNSAYABLE, "").replace(/[&<>"]/g, (character) => entities[character] ?? "");
}

/** Returns an XML element with the text, or an empty string without a text. */
export function xmlElement(name: string, text: string | number | null | undefined): string {
  return text === null || text === undefined || text === "" ? "" : `<${name}>${escapeXml(String(text))}</${name}>`;
}

/**
 * Returns the description of an RSS channel or item. Feed readers and podcast apps parse it as HTML, so the text is escaped for
 * HTML, and then for XML.
 */
export const htmlDescription = (text: string): string => xmlElement("description", escapeXml(text));
