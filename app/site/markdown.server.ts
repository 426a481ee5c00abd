import { Marked, type Token, type Tokens } from "marked";

/** One of our documents in Markdown (CommonMark with GitHub's tables). Parsed on the server only; browsers get HTML. */
export interface Markdown {
  /** The document's front matter: `key: value` lines between `---`. */
  front: ReadonlyMap<string, string>;
  sections: readonly Section[];
}

/** A heading of level 2 with its content. The first section may have no heading. */
export interface Section {
  /** The section's anchor (`#fees`): the name in braces after the heading, otherwise its number. */
  id: string;
  title: string | null;
  html: string;
  /** The section's questions and answers: headings of level 3 with their content. */
  items: readonly { id: string; title: string; html: string }[];
}

const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Allowed links: our own pages, https, and mail addresses. */
const LINK = /^(?:\/(?!\/)|#|https:\/\/|mailto:)/;

const marked = new Marked({
  renderer: {
    // Escapes HTML instead of rendering it.
    html: ({ text }) => escapeHtml(text),
    image: ({ text }) => escapeHtml(text),
    link({ href, tokens }) {
      const inside = this.parser.parseInline(tokens);
      return LINK.test(href) ? `<a href="${escapeHtml(href)}">${inside}</a>` : inside;
    },
    heading({ tokens, depth }) {
      return `<h${depth}>${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    table({ header, rows }) {
      const heads = header.map(({ tokens }) => this.parser.parseInline(tokens));
      const cells = rows.map((row) =>
        // Each table cell repeats its column's heading, because narrow windows hide the table head (reading.css).
        row.map(
          ({ tokens }, index) =>
            `<td data-head="${escapeHtml(header[index]?.text ?? "")}">${this.parser.parseInline(tokens)}</td>`,
        ),
      );
      const body = cells.map((row) => `<tr>${row.join("")}</tr>\n`).join("");
      return `<table>\n<thead>\n<tr>${heads.map((head) => `<th>${head}</th>`).join("")}</tr>\n</thead>\n<tbody>${body}</tbody></table>\n`;
    },
    // Renders a text to copy, with the markup of ui/template.tsx. The words after the fence name the text.
    code: ({ text, lang = "" }) =>
      `<div class="template"><pre>${escapeHtml(text)}</pre><button type="button" class="copy" data-copy aria-live="polite">${lang && `<span class="visually-hidden">${escapeHtml(lang)}を</span>`}コピー</button></div>\n`,
  },
});

/**
 * Parses a document. `{{name}}` inserts a value. `{{#name}}…{{/name}}` is kept if the flag is set,
 * `{{^name}}…{{/name}}` if it is not (mustache(5)). Throws for an unknown value or flag, and for an invalid front
 * matter.
 */
export function readMarkdown(
  source: string,
  values: Readonly<Record<string, string>> = {},
  flags: Readonly<Record<string, boolean>> = {},
): Markdown {
  const [, head, body] = /^---\n([\s\S]*?\n)---\n([\s\S]*)$/.exec(keepChosenParts(source, flags)) ?? [];
  if (head === undefined || body === undefined) throw new Error("a text without front matter");
  const toHtml = (tokens: Token[]) => fillValues(marked.parser(tokens), values, escapeHtml);
  // Titles are plain text: React escapes them.
  const fillTitle = (title: string) => fillValues(title, values, String);
  const sections = splitByHeading(marked.lexer(body), 2).map(({ heading, tokens }, index) => {
    const { title, id } = namedBy(heading, `section-${index}`);
    const [lead, ...items] = splitByHeading(tokens, 3);
    return {
      id,
      title: title && fillTitle(title),
      html: toHtml(lead?.tokens ?? []),
      items: items.map((item, place) => {
        const named = namedBy(item.heading, `${id}-${place + 1}`);
        return { id: named.id, title: fillTitle(named.title ?? ""), html: toHtml(item.tokens) };
      }),
    };
  });
  const front = new Map([...readFront(head)].map(([key, value]) => [key, fillTitle(value)]));
  return { front, sections: sections.filter(({ title, html }) => title !== null || html !== "") };
}

function readFront(head: string): ReadonlyMap<string, string> {
  const lines = head.split("\n").filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [, key, value] = /^([a-z_]+): (\S.*)$/.exec(line) ?? [];
      if (!key || !value) throw new Error(`a line of front matter that is none: ${line}`);
      return [key, value];
    }),
  );
}

/** Splits tokens at headings of this level. The first part is the content before the first heading. */
function splitByHeading(tokens: Token[], depth: number): { heading: Tokens.Heading | null; tokens: Token[] }[] {
  const parts: { heading: Tokens.Heading | null; tokens: Token[] }[] = [{ heading: null, tokens: [] }];
  for (const token of tokens) {
    if (token.type === "heading" && token.depth === depth) parts.push({ heading: token as Tokens.Heading, tokens: [] });
    else parts.at(-1)?.tokens.push(token);
  }
  return parts;
}

function namedBy(heading: Tokens.Heading | null, fallback: string): { title: string | null; id: string } {
  const [, title = null, id = fallback] = /^(.*?)(?:\s*\{#([a-z][a-z0-9-]*)\})?$/.exec(heading?.text ?? "") ?? [];
  return { title: heading && title, id };
}

/** Removes the sections whose flag does not apply. */
function keepChosenParts(source: string, flags: Readonly<Record<string, boolean>>): string {
  // A line, or a row of a table, with only a tag is removed together with its line break.
  const text = source
    .replace(/^(?:\| )?(\{\{[#^/]\w+\}\})[ |]*\n/gm, "$1")
    .replace(/\{\{([#^])(\w+)\}\}([\s\S]*?)\{\{\/\2\}\}/g, (_, kind: string, name: string, inside: string) => {
      const flag = flags[name];
      if (flag === undefined) throw new Error(`no flag for {{${kind}${name}}}`);
      return flag === (kind === "#") ? inside : "";
    });
  const [stray] = /\{\{[#^/]\w*/.exec(text) ?? [];
  if (stray) throw new Error(`a part that is not closed, or not open: ${stray}`);
  return text;
}

/** Inserts the values. `write` escapes them for the surrounding text. */
function fillValues(text: string, values: Readonly<Record<string, string>>, write: (value: string) => string): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value for {{${name}}}`);
    return write(value);
  });
}
