import { isRouteErrorResponse, type MetaDescriptor } from "react-router";
import type { Image } from "../../workers/contract/fields.ts";
import { excerpt } from "../text/excerpt.ts";
import type { Failure } from "../v4/failure.ts";
import type { SharePicture } from "./share-card.ts";

/** What a page says of itself to search engines and to those who preview its link. */
interface PageMeta {
  title: string;
  description?: string;
  /** Only a picture anybody may fetch; otherwise `share_picture` is shown, or the site's own. */
  image?: Image | null;
  share_picture?: SharePicture | null;
  /** The same content in other forms, by media type. */
  alternates?: readonly { type: string; title?: string; path: string | ((origin: string) => string) }[];
  type?: "website" | "profile" | "article";
  /** Data blocks for search engines. Source: schema.org. */
  json_ld?: (origin: string) => Record<string, unknown>;
  /** Of the query, what makes it another page; by default the page of a list. In the order of our links. */
  kept_query?: readonly string[];
  /** A page that belongs in no search result: forms, and what is a member's own. */
  is_unlisted?: boolean;
}

/** Of a route's `meta` arguments, what is used here. */
interface MetaArgs {
  location: { pathname: string; search: string };
  matches: readonly ({ loaderData?: unknown } | undefined)[];
  /** What the page that could not be shown threw. */
  error?: unknown;
}

const DESCRIPTION = "好きなクリエイターに、短い手紙「ofuse」で気持ちと応援を届けるサービスです。";
const DESCRIPTION_GRAPHEMES = 120;
const SHARE_IMAGE: SharePicture = {
  medium_url: "/share.png",
  width: 1200,
  height: 630,
  alt: "ofuse 好きの気持ちを、手紙にして届けよう。",
};

const NOT_FOUND = "ページが見つかりません｜ofuse";
const NOT_SHOWN = "ページを表示できません｜ofuse";

/** The defaults of every page, also of one that says nothing of itself. Source: spec section 1, page defaults. */
export function pageDefaults(origin: string): MetaDescriptor[] {
  return [
    { name: "description", content: DESCRIPTION },
    { property: "og:type", content: "website" },
    { property: "og:description", content: DESCRIPTION },
    ...pictureMeta(origin, SHARE_IMAGE),
  ];
}

function pictureMeta(origin: string, { medium_url, width, height, alt }: SharePicture): MetaDescriptor[] {
  return [
    { property: "og:image", content: origin + medium_url },
    { property: "og:image:width", content: String(width) },
    { property: "og:image:height", content: String(height) },
    ...(alt
      ? [
          { property: "og:image:alt", content: alt },
          { name: "twitter:image:alt", content: alt },
        ]
      : []),
  ];
}

/**
 * A page's title, description, canonical address, Open Graph and JSON-LD, for its `meta` function; the defaults alone for a page
 * that could not be shown. Crawlers run no script: all of it is in the HTML. Source: spec section 1, page defaults; ogp.me.
 */
export function pageMeta({ location, matches, error }: MetaArgs, page: PageMeta | undefined): MetaDescriptor[] {
  const root = matches[0]?.loaderData as { origin: string; viewer: object | null } | undefined;
  if (!page) {
    const refused = isRouteErrorResponse(error) ? error : null;
    const title = refused?.status === 404 ? NOT_FOUND : NOT_SHOWN;
    const origin = root?.origin ?? (refused?.data as Partial<Failure> | null)?.origin ?? "";
    return [{ title }, { name: "robots", content: "noindex" }, ...pageDefaults(origin)];
  }
  const {
    title,
    image,
    type = "website",
    json_ld,
    share_picture,
    alternates = [],
    is_unlisted = false,
    kept_query = ["page"],
  } = page;
  const said: MetaDescriptor[] = [
    { title: `${title}｜ofuse` },
    ...(is_unlisted ? [{ name: "robots", content: "noindex" }] : []),
  ];
  // Without the root's data the page is an error's: it has no address of its own.
  if (!root) return [...said, ...pageDefaults("")];
  const url = root.origin + canonicalPath(location, kept_query);
  const canonical: MetaDescriptor = { tagName: "link", rel: "canonical", href: url };
  // Whoever previews a link or searches comes as a visitor: members, and their browsers' scripts, go with the defaults.
  if (!import.meta.env.SSR || root.viewer) {
    return [...said, canonical, { property: "og:title", content: title }, ...pageDefaults(root.origin)];
  }
  const description = page.description ? excerpt(page.description, DESCRIPTION_GRAPHEMES) : DESCRIPTION;
  // A signed address opens a locked picture to whoever holds it: it stays out of previews.
  const shown = image && !image.medium_url.includes("?") ? image : (share_picture ?? SHARE_IMAGE);
  return [
    ...said,
    { name: "description", content: description },
    canonical,
    ...alternates.map(({ path, ...said }) => ({
      tagName: "link" as const,
      rel: "alternate",
      ...said,
      href: root.origin + (typeof path === "string" ? path : path(root.origin)),
    })),
    { property: "og:type", content: type },
    { property: "og:title", content: title },
    { property: "og:description", content: description },
    { property: "og:url", content: url },
    ...pictureMeta(root.origin, shown),
    ...(json_ld ? [{ "script:ld+json": { "@context": "https://schema.org", ...json_ld(root.origin) } }] : []),
  ];
}

/** One address for one content: no slash at the end, and of the query only what makes it another page. */
function canonicalPath({ pathname, search }: MetaArgs["location"], kept_query: readonly string[]): string {
  const path = pathname.replace(/\/+$/, "") || "/";
  const asked = new URLSearchParams(search);
  const kept = new URLSearchParams(
    kept_query.flatMap((name) => {
      const value = asked.get(name) ?? "";
      return /^(?:[2-9]|[1-9]\d{1,5}|[0-7][0-9a-z]{25})$/.test(value) ? [[name, value]] : [];
    }),
  );
  return kept.size > 0 ? `${path}?${kept}` : path;
}
