import { readMarkdown } from "./markdown.server.ts";

const sources = import.meta.glob<string>("../news/*.md", { query: "?raw", import: "default", eager: true });

const categories = ["お知らせ", "新しい機能", "安全", "メンテナンス"] as const;

/** A news entry in the list. */
export interface Headline {
  /** The name of the entry's file. */
  slug: string;
  title: string;
  /** The date, such as `2026-11-20`. */
  date: string;
  category: (typeof categories)[number];
}

export interface NewsEntry extends Headline {
  html: string;
  /** The beginning of the text, for link previews. */
  description: string;
}

/** Reads one file. Throws if its title or date is missing, or its category is unknown. */
export function readEntry(slug: string, source: string): NewsEntry {
  const { front, sections } = readMarkdown(source);
  const title = front.get("title");
  const date = front.get("date") ?? "";
  const category = categories.find((each) => each === front.get("category"));
  if (!title || !isDay(date) || !category) throw new Error(`the news ${slug} lacks a title, a day or a category`);
  // Refuse headings: a long text belongs into a document.
  const [{ title: heading, html, items } = { title: "", html: "", items: [] }, ...more] = sections;
  if (heading !== null || items.length + more.length > 0) throw new Error(`the news ${slug} has headings, or no text`);
  const description = /<p>(.*?)<\/p>/s.exec(html)?.[1]?.replace(/<[^>]*>/g, "") ?? title;
  return { slug, title, date, category, html, description };
}

function isDay(written: string): boolean {
  const moment = new Date(`${written}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 10) === written;
}

/** Returns all entries, newest first. */
export function readNews(): NewsEntry[] {
  return Object.entries(sources)
    .map(([path, source]) => readEntry(path.replace(/^.*\/|\.md$/g, ""), source))
    .sort((a, b) => b.date.localeCompare(a.date) || b.slug.localeCompare(a.slug));
}
