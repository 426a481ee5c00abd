import type { MetaDescriptor } from "react-router";
import type { Image } from "../../workers/contract/fields.ts";

/** What a page says of itself to search engines and to those who preview its link. */
interface PageMeta {
  title: string;
  description?: string;
  /** Only a picture anybody may fetch; otherwise the site's own is shown. */
  image?: Image | null;
  type?: "website" | "profile" | "article";
  /** Data blocks for search engines. Source: schema.org. */
  json_ld?: (origin: string) => Record<string, unknown>;
  /** A page that belongs in no search result: forms, and what is a member's own. */
  is_unlisted?: boolean;
}

/** Of a route's `meta` arguments, what is used here. */
interface MetaArgs {
  location: { pathname: string; search: string };
  matches: readonly ({ loaderData?: unknown } | undefined)[];
}

const DESCRIPTION = "好きなクリエイターに、短い手紙「ofuse」で気持ちと応援を届けるサービスです。";
const DESCRIPTION_GRAPHEMES = 120;
const SHARE_IMAGE = {
  medium_url: "/share.png",
  width: 1200,
  height: 630,
  alt: "ofuse 好きの気持ちを、手紙にして届けよう。",
};

/**
 * A page's title, description, canonical address, Open Graph and JSON-LD, for its `meta` function; without any of it for a page
 * that could not be shown. Crawlers run no script: all of it is in the HTML. Source: spec section 1, page defaults; ogp.me.
 */
export function pageMeta({ location, matches }: MetaArgs, page: PageMeta | undefined): MetaDescriptor[] {
  const root = matches[0]?.loaderData as { origin: string } | undefined;
  if (!page) return [{ title: "ページを表示できません｜ofuse" }, { name: "robots", content: "noindex" }];
  const { title, image, type = "website", json_ld, is_unlisted = false } = page;
  const description = page.description ? excerpt(page.description, DESCRIPTION_GRAPHEMES) : DESCRIPTION;
  const said: MetaDescriptor[] = [
    { title: `${title}｜ofuse` },
    { name: "description", content: description },
    ...(is_unlisted ? [{ name: "robots", content: "noindex" }] : []),
  ];
  // Without the root's data the page is an error's: it has no address of its own.
  if (!root) return said;
  const url = root.origin + canonicalPath(location);
  // A signed address opens a locked picture to whoever holds it: it stays out of previews.
  const shown = image && !image.medium_url.includes("?") ? image : SHARE_IMAGE;
  return [
    ...said,
    { tagName: "link", rel: "canonical", href: url },
    { property: "og:type", content: type },
    { property: "og:title", content: title },
    { property: "og:description", content: description },
    { property: "og:url", content: url },
    { property: "og:image", content: root.origin + shown.medium_url },
    { property: "og:image:width", content: String(shown.width) },
    { property: "og:image:height", content: String(shown.height) },
    ...(shown.alt ? [{ property: "og:image:alt", content: shown.alt }] : []),
    ...(json_ld ? [{ "script:ld+json": { "@context": "https://schema.org", ...json_ld(root.origin) } }] : []),
  ];
}

/** One address for one content: no slash at the end, and of the query only the page of a list. */
function canonicalPath({ pathname, search }: MetaArgs["location"]): string {
  const page = new URLSearchParams(search).get("page") ?? "";
  const path = pathname.replace(/\/+$/, "") || "/";
  return /^[1-9]\d{0,5}$/.test(page) && page !== "1" ? `${path}?page=${page}` : path;
}

const segmenter = new Intl.Segmenter("ja", { granularity: "grapheme" });

/** The beginning of a text on one line, cut between characters as a reader sees them. */
function excerpt(text: string, max: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  const starts = [...segmenter.segment(line.slice(0, max * 16))];
  return starts.length <= max ? line : `${line.slice(0, starts[max - 1]?.index)}…`;
}
