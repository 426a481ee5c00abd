const segmenter = new Intl.Segmenter("ja", { granularity: "grapheme" });

/** Returns the beginning of a text as one line of at most `max` graphemes. */
export function excerptOf(text: string, max: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  const starts = [...segmenter.segment(line.slice(0, max * 16))];
  return starts.length <= max ? line : `${line.slice(0, starts[max - 1]?.index)}…`;
}
