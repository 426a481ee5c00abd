const LEAD_GRAPHEMES = 120;

const segmenter = new Intl.Segmenter("ja", { granularity: "grapheme" });

/** The opening of a post as its card shows it: one line, at most 120 characters, cut with 「…」. */
export function leadOf(body: string): string {
  const line = body.replace(/\s+/g, " ").trim();
  const graphemes = Array.from(segmenter.segment(line), ({ segment }) => segment);
  if (graphemes.length <= LEAD_GRAPHEMES) return line;
  return `${graphemes.slice(0, LEAD_GRAPHEMES - 1).join("")}…`;
}
