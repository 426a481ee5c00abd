import {
  bannerOf,
  bannerPath,
  codePath,
  type ShareSubject,
  shareCard,
  sharePicture,
} from "../../app/crawlers/share-card.ts";
import { qrCode } from "../../app/text/qr-code.server.ts";
import type { Transport } from "../../app/v4/call.ts";
import { V4 } from "../../app/v4/client.ts";
import { type ErrorCode, errorCatalogue } from "../contract/errors.ts";
import { getEvent } from "../contract/events.ts";
import { BANNER_SIZES, type BannerSize, DRAWING_PARTS, type Drawing } from "../contract/share-card.ts";
import { getUser } from "../contract/users.ts";
import { log } from "../kernel/log.ts";

/**
 * `/share-images/{link_id}.png`, or `/share-images/{link_id}/{event_id}.png` for a post, with the version before
 * `.png`. `/share-images/{link_id}/banner-{size}.png` for a banner, with the version too, and
 * `/share-images/{link_id}/qr.png` or `qr.svg` for the code of the page.
 */
const ADDRESS = new RegExp(
  String.raw`^/share-images/(?<link_id>[a-z0-9_]{3,32})(?:(?:/(?:(?<event_id>[0-7][0-9a-hjkmnp-tv-z]{25})|banner-(?<size>${BANNER_SIZES.join("|")})))?(?:/[0-9a-f]{16})?\.png|/qr\.(?<code>png|svg))$`,
);
type Asked = { link_id?: string; event_id?: string; size?: BannerSize; code?: "png" | "svg" };

/** Longer than previews show a picture. The platform may evict the picture sooner. */
const KEPT_S = 30 * 24 * 60 * 60;
const openCache = () => caches.open("share-images");

interface ShareImageContext {
  transport: Omit<Transport, "token">;
  share_images: Fetcher;
  /** Names the drawing code: pictures of another build are not served. */
  build: string;
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Serves the picture that link previews of a creator or a post show, or one that leads people to a creator's page. It
 * draws only content that the API shows visitors, and only at the current address; other addresses of the same picture
 * redirect there. Answers 404 for content that visitors may no longer see, even if its picture is cached. The rules:
 * docs/decisions/0012 and 0046.
 */
export async function serveShareImage(request: Request, context: ShareImageContext): Promise<Response> {
  const { transport, build } = context;
  const { request_id } = transport;
  if (request.method !== "GET" && request.method !== "HEAD") return refuseImage("method_not_allowed", request_id);
  const { pathname, origin } = new URL(request.url);
  const asked: Asked = ADDRESS.exec(pathname)?.groups ?? {};
  const { link_id } = asked;
  if (!link_id) return refuseImage("not_found", request_id);
  const found = await findSubject(new V4({ ...transport, token: null }), link_id, asked.event_id);
  if ("code" in found) return refuseImage(found.code, request_id);
  const order = await orderOf(found, asked, origin);
  if (!order) return refuseImage("not_found", request_id);
  if (order.path !== pathname) {
    return new Response(null, { status: 302, headers: { location: order.path, "cache-control": "no-store" } });
  }
  const headers = new Headers({
    "content-type": order.type,
    "cache-control": order.cache_control,
    etag: `"${pathname.split("/").at(-1)?.slice(0, 16)}.${build.slice(0, 8)}"`,
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    // Feed readers and chat apps show it on their own pages.
    "cross-origin-resource-policy": "cross-origin",
    "access-control-allow-origin": "*",
    "x-request-id": request_id,
  });
  if ((request.headers.get("if-none-match") ?? "").includes(headers.get("etag") as string)) {
    return new Response(null, { status: 304, headers });
  }
  const drawn =
    "svg" in order
      ? { bytes: new TextEncoder().encode(order.svg), is_whole: true }
      : await findDrawn(`https://share-images.internal/${build}${pathname}`, order.drawing, context);
  if (!drawn) return refuseImage("unavailable", request_id);
  if (!drawn.is_whole) headers.set("cache-control", "no-store");
  headers.set("content-length", String(drawn.bytes.byteLength));
  return new Response(request.method === "HEAD" ? null : drawn.bytes, { headers });
}

/** A picture that can be served: its current address, and what to draw, or the picture itself. */
type Order = { path: string; type: string; cache_control: string } & ({ drawing: Drawing } | { svg: string });

/** The address changes with the content. */
const PERMANENT = { type: "image/png", cache_control: "public, max-age=31536000, immutable" };
/** The address of a code has no version: it depends on the link_id alone, which another person may have one day. */
const FOR_A_DAY = "public, max-age=86400";

/** Returns null when the subject has no such picture. */
async function orderOf(found: ShareSubject, { size, code }: Asked, origin: string): Promise<Order | null> {
  if ("creator" in found && size) {
    const banner = bannerOf(found.creator, size, origin);
    return { path: await bannerPath(banner), ...PERMANENT, drawing: { banner } };
  }
  if ("creator" in found && code) {
    const { link_id } = found.creator;
    const drawn = qrCode(`${origin}/${link_id}`);
    const common = { path: codePath(link_id, code), cache_control: FOR_A_DAY };
    if (code === "png") return { ...common, type: "image/png", drawing: { code: drawn } };
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${drawn.size} ${drawn.size}" shape-rendering="crispEdges"><rect width="100%" height="100%" fill="#fff"/><path d="${drawn.path}"/></svg>`;
    return { ...common, type: "image/svg+xml", svg };
  }
  const picture = await sharePicture(found);
  return picture && { path: picture.medium_url, ...PERMANENT, drawing: { card: shareCard(found) } };
}

async function findSubject(
  v4: V4,
  link_id: string,
  event_id: string | undefined,
): Promise<ShareSubject | { code: ErrorCode }> {
  const asked = event_id
    ? await v4.send(getEvent, { params: { event_id }, query: {} })
    : await v4.send(getUser, { query: { link_id } });
  if (!asked.ok) return { code: asked.refusal.status === 404 ? "not_found" : "unavailable" };
  return "event" in asked.answer ? { event: asked.answer.event } : { creator: asked.answer.user };
}

/** A picture; `is_whole` is false when a part of it could not be fetched. */
interface Drawn {
  bytes: ArrayBuffer | Uint8Array<ArrayBuffer>;
  is_whole: boolean;
}

/** Returns the picture cached under that name, or draws it. Returns null when it cannot be drawn. */
async function findDrawn(key: string, drawing: Drawing, context: ShareImageContext): Promise<Drawn | null> {
  const kept = await findPicture(key);
  if (kept) return { bytes: kept, is_whole: true };
  const paths = picturesOf(drawing);
  const [icon, cover] = await Promise.all([fetchPicture(paths.icon, context), fetchPicture(paths.cover, context)]);
  const form = new FormData();
  form.set(DRAWING_PARTS.drawing, JSON.stringify(drawing));
  if (icon.picture) form.set(DRAWING_PARTS.icon, icon.picture);
  if (cover.picture) form.set(DRAWING_PARTS.cover, cover.picture);
  try {
    const answer = await context.share_images.fetch("https://share-images.internal/", { method: "POST", body: form });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const png = await answer.arrayBuffer();
    const is_whole = icon.is_known && cover.is_known;
    if (is_whole) context.waitUntil(keepPicture(key, png));
    return { bytes: png, is_whole };
  } catch (error) {
    logFailure("a share image was not drawn", context.transport.request_id, error);
    return null;
  }
}

/** Returns the paths of the pictures that are parts of a drawing. */
function picturesOf(drawing: Drawing): { icon: string | null; cover: string | null } {
  if ("card" in drawing) return drawing.card;
  return { icon: "banner" in drawing ? drawing.banner.icon : null, cover: null };
}

/** Fetches a picture that is part of a drawing. A failure is not cached: the next request may succeed. */
async function fetchPicture(
  path: string | null,
  { transport }: ShareImageContext,
): Promise<{ picture: Blob | null; is_known: boolean }> {
  if (path === null) return { picture: null, is_known: true };
  try {
    const answer = await transport.fetch(new Request(transport.origin + path, { signal: transport.limit() }));
    if (answer.ok) return { picture: await answer.blob(), is_known: true };
    await answer.body?.cancel();
    return { picture: null, is_known: answer.status === 404 };
  } catch (error) {
    logFailure("a picture was not fetched", transport.request_id, error);
    return { picture: null, is_known: false };
  }
}

/** Returns null when the cache fails: the picture is then drawn. */
async function findPicture(key: string): Promise<ArrayBuffer | null> {
  try {
    return (await (await (await openCache()).match(key))?.arrayBuffer()) ?? null;
  } catch {
    return null;
  }
}

async function keepPicture(key: string, png: ArrayBuffer): Promise<void> {
  try {
    const headers = { "content-type": "image/png", "cache-control": `public, max-age=${KEPT_S}` };
    await (await openCache()).put(key, new Response(png, { headers }));
  } catch (error) {
    logFailure("a share image was not kept", key, error);
  }
}

/** Refuses a picture in a sentence: a person may have opened its address. */
function refuseImage(code: ErrorCode, request_id: string): Response {
  const { status, detail } = errorCatalogue[code];
  const headers = new Headers({
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": request_id,
  });
  if (code === "method_not_allowed") headers.set("allow", "GET, HEAD");
  return new Response(detail, { status, headers });
}

function logFailure(message: string, request_id: string, error: unknown): void {
  log("error", { message, request_id, error: String(error) });
}
