import { hasPlainCharacters, segmentsOf } from "../../workers/contract/graphemes.ts";

/** Returns the beginning of a text as one line of at most `max` graphemes. */
export function excerptOf(text: string, max: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= max) return line;
  const beginning = line.slice(0, max * 16);
  if (hasPlainCharacters(beginning)) return `${line.slice(0, max - 1)}…`;
  const starts = [...segmentsOf(beginning)];
  return starts.length <= max ? line : `${line.slice(0, starts[max - 1]?.index)}…`;
}
