import { createElement, Fragment } from "react";

/** Plain text as its writer laid it out: blank lines part paragraphs, line ends stay. */
export function Paragraphs({ text }: { text: string }) {
  // Spread as children and not as a list: paragraphs need no keys, a text is replaced whole.
  return createElement(Fragment, null, ...text.split(/\n{2,}/).map((paragraph) => createElement("p", null, paragraph)));
}
