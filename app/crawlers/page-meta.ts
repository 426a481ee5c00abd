import { isRouteErrorResponse, type MetaDescriptor, type StaticHandlerContext } from "react-router";
import type { Image } from "../../workers/contract/fields.ts";
import { mediumSize } from "../../workers/contract/pictures.ts";
import { excerptOf } from "../text/excerpt.ts";
import type { Failure } from "../v4/failure.ts";
import type { SharePicture } from "./share-card.ts";

/** The metadata of a page for search engines and link previews. */
interface PageMeta {
  title: string;
  description?: string;
  /**
   * The page's picture. Used only if it is public and large enough; otherwise the preview shows `share_picture`, or
   * the site's own picture.
   */
  image?: Image | null;
  share_picture?: SharePicture | null;
  /** Alternative formats of the page's content, such as its feeds. */
  alternates?: readonly { type: string; title?: string; path: string | ((origin: string) => string) }[];
  type?: "website" | "profile" | "article";
  /** Data blocks for search engines. Source: schema.org. */
  json_ld?: (origin: string) => Record<string, unknown>;
  /**
   * The query parameters that are part of the page's address, in the order of our links. A list has `page`. By default
   * none: a page that ignores a parameter would have endless addresses.
   */
  kept_query?: readonly string[];
  /** True keeps the page out of search results: forms, and a member's own pages. */
  is_unlisted?: boolean;
}

/** The part of a route's `meta` arguments that this file uses. */
interface MetaArgs {
  location: { pathname: string; search: string };
  matches: readonly ({ loaderData?: unknown } | undefined)[];
  /** The data of the page; a list has the number of its `page`. */
  loaderData?: unknown;
  /** The error of a page that failed. */
  error?: unknown;
}

/** How the server answered: the action's answer, or the error of a page that failed. */
type PageAnswer = Pick<StaticHandlerContext, "statusCode" | "actionData" | "errors">;

const DESCRIPTION = "好きなクリエイターに、短い手紙「ofuse」で気持ちと応援を届けるサービスです。";
const DESCRIPTION_GRAPHEMES = 120;
const SHARE_IMAGE: SharePicture = {
  medium_url: "/share.png",
  width: 1200,
  height: 630,
  alt: "ofuse 好きの気持ちを、手紙にして届けよう。",
};

/** The smallest picture of X's large card. Source: X's documentation of "summary_large_image". */
const SMALLEST_PREVIEW = { width: 300, height: 157 };

const NOT_FOUND = "ページが見つかりません｜ofuse";
const NOT_SHOWN = "ページを表示できません｜ofuse";

/**
 * Returns the defaults of every page. Only the server writes them: they are the same on all pages of a member, and React
 * leaves them in the document. Source: spec section 1, page defaults.
 */
export function pageDefaults(origin: string): MetaDescriptor[] {
  if (!import.meta.env.SSR) return [];
  return [
    { name: "description", content: DESCRIPTION },
    { property: "og:type", content: "website" },
    { property: "og:description", content: DESCRIPTION },
    ...pictureMeta(origin, SHARE_IMAGE),
  ];
}

/**
 * Returns a public picture as previews on other sites show it: in the size that its address serves. Returns null for a
 * signed address, which opens a locked picture for everybody who has it.
 */
export function previewPicture(image: Image | null): SharePicture | null {
  if (!image || image.medium_url.includes("?")) return null;
  return { medium_url: image.medium_url, alt: image.alt, ...mediumSize(image) };
}

const isLargeEnough = ({ width, height }: SharePicture) =>
  width >= SMALLEST_PREVIEW.width && height >= SMALLEST_PREVIEW.height;

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
 * Returns a page's title, description, canonical address, Open Graph and JSON-LD, for its `meta` function. Returns only
 * the defaults for a page that failed. All of it is in the HTML, as crawlers run no script. Source: spec section 1,
 * page defaults; ogp.me.
 */
export function pageMeta(
  { location, matches, loaderData, error }: MetaArgs,
  page: PageMeta | undefined,
): MetaDescriptor[] {
  const root = matches[0]?.loaderData as { origin: string; viewer: object | null } | undefined;
  if (!page) {
    const refused = isRouteErrorResponse(error) ? error : null;
    const title = refused?.status === 404 ? NOT_FOUND : NOT_SHOWN;
    const origin = root?.origin ?? (refused?.data as Partial<Failure> | null)?.origin ?? "";
    return [{ title }, { name: "robots", content: "noindex" }, ...pageDefaults(origin)];
  }
  const { is_unlisted = false } = page;
  const { page: number = 1 } = (loaderData ?? {}) as { page?: number };
  const title = number > 1 ? `${page.title}（${number}ページ目）` : page.title;
  const said: MetaDescriptor[] = [
    { title: `${title}｜ofuse` },
    ...(is_unlisted ? [{ name: "robots", content: "noindex" }] : []),
  ];
  // Without the root loader's data this is an error page, which has no canonical address.
  if (!root) return [...said, ...pageDefaults("")];
  const url = root.origin + canonicalPath(location, page);
  const canonical: MetaDescriptor = { tagName: "link", rel: "canonical", href: url };
  // Crawlers come as visitors. Members and their browsers' scripts get the defaults.
  if (!import.meta.env.SSR || root.viewer) {
    return [...said, canonical, { property: "og:title", content: title }, ...pageDefaults(root.origin)];
  }
  const { image, type = "website", json_ld, share_picture, alternates = [] } = page;
  const description = page.description ? excerptOf(page.description, DESCRIPTION_GRAPHEMES) : DESCRIPTION;
  const own = previewPicture(image ?? null);
  const shown = (own && isLargeEnough(own) ? own : share_picture) ?? SHARE_IMAGE;
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

/**
 * Says in the title of a page that its form was refused, for people who hear the title first. Hydration puts the page's
 * own title back: a script moves the focus to the error.
 */
export function markRefusal(html: string, { statusCode, actionData, errors }: PageAnswer): string {
  const is_refused = statusCode >= 400 && actionData !== null && errors === null;
  return is_refused ? html.replace("<title>", "<title>エラー：") : html;
}

/**
 * Returns the canonical path: without a trailing slash, in lower case, and with the kept query parameters only. The router
 * ignores the case of our own segments. No name or id has capitals, but the tokens in unlisted paths do.
 */
function canonicalPath({ pathname, search }: MetaArgs["location"], { kept_query = [], is_unlisted }: PageMeta) {
  const trimmed = pathname.replace(/(?<!\/)\/+$/, "") || "/";
  const path = is_unlisted ? trimmed : trimmed.toLowerCase();
  const asked = new URLSearchParams(search);
  const kept = new URLSearchParams(
    kept_query.flatMap((name) => {
      const value = asked.get(name) ?? "";
      return /^(?:[2-9]|[1-9]\d{1,5}|[0-7][0-9a-z]{25})$/.test(value) ? [[name, value]] : [];
    }),
  );
  return kept.size > 0 ? `${path}?${kept}` : path;
}
