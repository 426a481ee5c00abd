/** What XML 1.0 has no way to say, not even escaped. Source: XML 1.0, section 2.2. */
const UNSAYABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A text as it stands in an element or an attribute. */
export function escapeXml(text: string): string {
  return text.replace(UNSAYABLE, "").replace(/[&<>"]/g, (character) => entities[character] ?? "");
}

/** An element with text in it; empty where there is none. */
export function element(name: string, text: string | number | null | undefined): string {
  return text === null || text === undefined || text === "" ? "" : `<${name}>${escapeXml(String(text))}</${name}>`;
}
