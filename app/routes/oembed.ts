import type { RouterContextProvider } from "react-router";
import { getEvent } from "../../workers/contract/events.ts";
import { id } from "../../workers/contract/fields.ts";
import { getUser, LINK_ID, type User } from "../../workers/contract/users.ts";
import { previewPicture } from "../crawlers/page-meta.ts";
import { type SharePicture, sharePicture } from "../crawlers/share-card.ts";
import { v4Context } from "../request/context.ts";
import { xmlElement } from "../text/xml.ts";
import type { Route } from "./+types/oembed.ts";

/** An oEmbed answer. Its type is `link`, because our pages forbid framing. Source: oembed.com, 1.0. */
interface Embedded {
  version: "1.0";
  type: "link";
  title: string;
  author_name: string;
  author_url: string;
  provider_name: string;
  provider_url: string;
  cache_age: number;
  thumbnail_url?: string;
  thumbnail_width?: number;
  thumbnail_height?: number;
}

const CACHE_AGE_S = 60 * 60;

/**
 * Answers `/oembed?url=&format=&maxwidth=&maxheight=` for the pages of creators and posts, as any visitor sees them.
 */
export async function loader({ url, context }: Route.LoaderArgs) {
  const format = url.searchParams.get("format") ?? "json";
  if (format !== "json" && format !== "xml") return new Response(null, { status: 501, headers: anySite });
  const bounds = ["maxwidth", "maxheight"].map((name) => url.searchParams.get(name));
  const asked = url.searchParams.get("url");
  if (asked === null || bounds.some((bound) => bound !== null && !/^[1-9]\d{0,5}$/.test(bound))) {
    return new Response(null, { status: 400, headers: anySite });
  }
  const [max_width, max_height] = bounds.map((bound) => Number(bound ?? Number.POSITIVE_INFINITY));
  const isSmallEnough = ({ width, height }: SharePicture) => width <= (max_width ?? 0) && height <= (max_height ?? 0);
  const embedded = await embedPage(asked, url.origin, context, isSmallEnough);
  if (!embedded) return new Response(null, { status: 404, headers: anySite });
  if (format === "json") return Response.json(embedded, { headers: anySite });
  const lines = Object.entries(embedded).map(([name, value]) => xmlElement(name, value));
  const body = `<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<oembed>\n${lines.join("\n")}\n</oembed>\n`;
  return new Response(body, { headers: { ...anySite, "content-type": "text/xml; charset=utf-8" } });
}

/** Any site may read the answer, because it contains only public data and ignores cookies. */
const anySite = { "access-control-allow-origin": "*" };

async function embedPage(
  asked: string,
  origin: string,
  context: Readonly<RouterContextProvider>,
  fits: (picture: SharePicture) => boolean,
): Promise<Embedded | null> {
  const found = await findPage(asked, origin, context);
  if (!found) return null;
  const { title, author, pictures } = found;
  const thumbnail = pictures.find(fits);
  return {
    version: "1.0",
    type: "link",
    title,
    author_name: author.name,
    author_url: `${origin}/${author.link_id}`,
    provider_name: "ofuse",
    provider_url: `${origin}/`,
    cache_age: CACHE_AGE_S,
    ...(thumbnail && {
      thumbnail_url: origin + thumbnail.medium_url,
      thumbnail_width: thumbnail.width,
      thumbnail_height: thumbnail.height,
    }),
  };
}

interface EmbeddedPage {
  title: string;
  author: Pick<User, "name" | "link_id">;
  /** The first public picture that fits the requested size becomes the thumbnail. */
  pictures: SharePicture[];
}

/**
 * Loads the creator or post at a URL of this site. Returns null for other URLs; throws 404 for an unknown creator or
 * post. A locked post has only its public parts.
 */
async function findPage(
  asked: string,
  origin: string,
  context: Readonly<RouterContextProvider>,
): Promise<EmbeddedPage | null> {
  const page = URL.canParse(asked) ? new URL(asked) : null;
  const [, link_id = "", event_id] = /^\/([^/]+)(?:\/events\/([^/]+))?\/?$/.exec(page?.pathname ?? "") ?? [];
  if (page?.origin !== origin || !LINK_ID.test(link_id)) return null;
  if (event_id !== undefined && !id.safeParse(event_id).success) return null;
  const v4 = context.get(v4Context).asVisitor();
  if (event_id === undefined) {
    const { user: creator } = await v4.read(getUser, { query: { link_id } });
    const pictures = [await sharePicture({ creator }), previewPicture(creator.icon_image)].filter(
      (each) => each !== null,
    );
    return { title: `${creator.name}（@${creator.link_id}）`, author: creator, pictures };
  }
  const { event } = await v4.read(getEvent, { params: { event_id }, query: {} });
  const { image, user } = event;
  const pictures = [previewPicture(image), await sharePicture({ event }), previewPicture(user.icon_image)].filter(
    (each) => each !== null,
  );
  return { title: event.title, author: user, pictures };
}
