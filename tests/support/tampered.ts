/**
 * Returns the text with another character at one place, which may be counted from the end. The text always differs from
 * the given one: a fixed character would sometimes be the one that is there. In base64url it keeps a character away from
 * the end, because a last character may differ in bits that mean nothing.
 */
export function tampered(text: string, at: number): string {
  const place = at < 0 ? text.length + at : at;
  const other = text[place] === "A" ? "B" : "A";
  return text.slice(0, place) + other + text.slice(place + 1);
}
