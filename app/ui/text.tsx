import { createElement, Fragment } from "react";

/** Plain text as HTML: blank lines separate paragraphs, line breaks stay. */
export function Paragraphs({ text }: { text: string }) {
  // Spread the paragraphs as children instead of a list: they need no keys, because the text is always replaced as a
  // whole.
  return createElement(Fragment, null, ...text.split(/\n{2,}/).map((paragraph) => createElement("p", null, paragraph)));
}
