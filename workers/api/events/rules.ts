import type { Block, Document } from "../../contract/document.ts";
import { freePart, plainText } from "../../contract/document-text.ts";

const LEAD_GRAPHEMES = 120;

const segmenter = new Intl.Segmenter("ja", { granularity: "grapheme" });

/** The opening of a post as its card shows it: one line, at most 120 characters, cut with 「…」. */
export function leadOf(body: string): string {
  const line = body.replace(/\s+/g, " ").trim();
  // No opening needs more than this, and a body may be two hundred kilobytes.
  const opening = line.slice(0, LEAD_GRAPHEMES * 64);
  const graphemes = Array.from(segmenter.segment(opening), ({ segment }) => segment);
  if (graphemes.length <= LEAD_GRAPHEMES) return opening;
  return `${graphemes.slice(0, LEAD_GRAPHEMES - 1).join("")}…`;
}

/** What is stored beside a document: what it says, and how it opens, to those behind the paywall line as to those before it. */
export function textsOf(document: Document): { body: string; lead: string; lead_is_free: number } {
  const body = plainText(document);
  const free = freePart(document);
  return { body, lead: leadOf(free ? plainText(free) : body), lead_is_free: free ? 1 : 0 };
}

/** The body of a post from before there were documents: blank lines part its paragraphs, other line ends are kept. */
export function documentOfText(body: string): Document {
  return body
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph): Block => ({ type: "paragraph", content: linesOf(paragraph) }));
}

function linesOf(paragraph: string) {
  return paragraph
    .split("\n")
    .flatMap((line, index) => [
      ...(index > 0 ? [{ type: "break" as const }] : []),
      ...(line === "" ? [] : [{ type: "text" as const, text: line }]),
    ]);
}
