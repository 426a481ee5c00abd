import type { Operation } from "../../contract/operation.ts";
import { PICTURE_TYPES } from "../../contract/pictures.ts";
import * as contract from "../../contract/uploads.ts";
import { isId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { uploadEndpoint } from "../http/endpoint.ts";
import { type Caller, memberId, type RequestContext, type Services } from "../http/request-context.ts";
import { uploadImage, uploadMedia } from "./commands.ts";
import { findServableImage, findServableMedia, type Visibility } from "./queries.ts";
import { type Arriving, receiveFile } from "./receive.ts";
import { chooseSize, imageKey, isSigned, mediaKey, mediaPath, rangeOf } from "./rules.ts";

const image =
  (access: "public" | "event", operation: Operation) =>
  async (request: Request, context: RequestContext, services: Services) => {
    const file = await arriving(request, context, operation);
    const { image, is_replayed } = await uploadImage(context, services, file, access);
    return { answer: { image, processing_status: "completed" as const }, is_replayed };
  };

const media =
  (kind: "audio" | "video", access: "public" | "event", operation: Operation) =>
  async (request: Request, context: RequestContext, services: Services) => {
    const file = await arriving(request, context, operation);
    const { media, is_replayed } = await uploadMedia(context, services, file, { kind, access });
    return { answer: { media, processing_status: "completed" as const }, is_replayed };
  };

/** Who may not send one is told so before it is read. */
function arriving(request: Request, context: RequestContext, operation: Operation): Promise<Arriving> {
  memberId(context);
  return receiveFile(request, operation);
}

export const uploadRoutes = [
  uploadEndpoint(contract.uploadImage, image("public", contract.uploadImage)),
  uploadEndpoint(contract.uploadPrivateImage, image("event", contract.uploadPrivateImage)),
  uploadEndpoint(contract.uploadAudio, media("audio", "public", contract.uploadAudio)),
  uploadEndpoint(contract.uploadPrivateAudio, media("audio", "event", contract.uploadPrivateAudio)),
  uploadEndpoint(contract.uploadPrivateVideo, media("video", "event", contract.uploadPrivateVideo)),
];

/** Who asks for a picture or a file, and what they may read; asked only where it matters. */
export interface Asker {
  /** The caller, whose token may have ended as long ago as a signed address lives; null for a visitor. */
  callerOf(): Promise<Caller | null>;
  isEventReadable(caller: Caller, event_id: string): Promise<boolean>;
}

const MEDIA_PATH = /^\/media\/([^/]+)\/(medium|file|[1-9]\d{0,4})$/;
/** What is served under its own type; of anything else the bytes are all there is. */
const SHOWN_TYPES = /^(?:image\/(?:png|jpeg|webp|avif)|audio\/(?:mpeg|mp4|aac|ogg|wav|flac|webm)|video\/(?:mp4|webm))$/;

/**
 * Serves `/media/{image_id}/{width}`, `/media/{image_id}/medium` and `/media/{media_id}/file` from the bucket, behind the access check.
 * What is stored never changes, so that it may be kept, by browsers alone. Nothing served here may run as a page.
 */
export async function serveMedia(request: Request, services: Services, asker: Asker): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    throw new Problem("method_not_allowed", { allow: ["GET", "HEAD"] });
  }
  const url = new URL(request.url);
  const [, id = "", asked = ""] = MEDIA_PATH.exec(url.pathname) ?? [];
  const served = !isId(id) ? null : await (asked === "file" ? findFile : findPicture)(request, services, id, asked);
  if (!served || !(await maySee(served, id, url, services, asker))) throw new Problem("not_found");
  const response = await answerWith(served, request, services.media);
  if (!response) throw new Problem("not_found");
  return response;
}

/** One object of the bucket, and who may see it. */
interface Served extends Visibility {
  key: string;
  content_type: string;
  etag: string;
  /** Of sound and film; null of pictures. */
  bytes: number | null;
  is_negotiated: boolean;
}

async function findPicture(request: Request, services: Services, id: string, asked: string): Promise<Served | null> {
  const found = await findServableImage(services.database, id);
  if (!found) return null;
  const { sizes, ...image } = found;
  if (sizes.length === 0) {
    if (asked !== "medium") return null;
    return { ...image, key: imageKey(id, null), etag: `"${id}"`, bytes: null, is_negotiated: false };
  }
  const size = chooseSize(sizes, asked, request.headers.get("accept") ?? "");
  if (!size) return null;
  const content_type = PICTURE_TYPES[size.type];
  const etag = `"${id}.${size.width}.${size.type}"`;
  return { ...image, key: imageKey(id, size), content_type, etag, bytes: null, is_negotiated: true };
}

async function findFile(_: Request, services: Services, id: string): Promise<Served | null> {
  const found = await findServableMedia(services.database, id);
  return found && { ...found, key: mediaKey(id), etag: `"${id}"`, is_negotiated: false };
}

/** What is open, anybody; the rest whoever it was signed for, while they may read the post that shows it, or it is their own. */
async function maySee(served: Served, id: string, url: URL, services: Services, asker: Asker): Promise<boolean> {
  if (served.is_open) return true;
  if (!url.searchParams.has("signature")) return false;
  const caller = await asker.callerOf();
  const signer = { media_key: services.media_key, now_ms: services.clock.now(), caller };
  if (!caller || !(await isSigned(mediaPath(id), url.searchParams, signer))) return false;
  if (caller.user_id === served.owner_user_id) return true;
  return served.event_id !== null && (await asker.isEventReadable(caller, served.event_id));
}

/** How long a browser keeps it. A post may be locked: those who saw its pictures may do so only a little longer. */
function cacheControl({ access, is_open }: Visibility): string {
  if (access === "public") return "public, max-age=31536000, immutable";
  return is_open ? "public, max-age=300" : "private, max-age=300";
}

/** All of it, a range of it, or that there is nothing new. Null when the bucket has no such object. */
async function answerWith(served: Served, request: Request, bucket: R2Bucket): Promise<Response | null> {
  const { content_type, etag } = served;
  const is_shown = SHOWN_TYPES.test(content_type);
  const headers = new Headers({
    "content-type": is_shown ? content_type : "application/octet-stream",
    "content-disposition": is_shown ? "inline" : "attachment",
    etag,
    "cache-control": cacheControl(served),
    "content-security-policy": "default-src 'none'; sandbox",
    // Feeds and link previews show open pictures on other sites.
    "cross-origin-resource-policy": served.is_open ? "cross-origin" : "same-origin",
  });
  if (served.is_negotiated) headers.set("vary", "accept");
  if (isKnown(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  const range = ranged(served, request);
  if (range === "unsatisfiable") {
    headers.set("content-range", `bytes */${served.bytes}`);
    return new Response(null, { status: 416, headers });
  }
  if (served.bytes !== null) headers.set("accept-ranges", "bytes");
  const options = range === "all" ? {} : { range };
  const object = await (request.method === "HEAD" ? bucket.head(served.key) : bucket.get(served.key, options));
  if (!object) return null;
  const { offset, length } = range === "all" ? { offset: 0, length: object.size } : range;
  headers.set("content-length", String(length));
  if (range !== "all") headers.set("content-range", `bytes ${offset}-${offset + length - 1}/${served.bytes}`);
  const body = "body" in object ? (object.body as ReadableStream) : null;
  return new Response(body, { status: range === "all" ? 200 : 206, headers });
}

/** Sound and film are fetched in pieces; a picture is small, and comes whole. */
function ranged({ bytes, etag }: Served, { headers }: Request): ReturnType<typeof rangeOf> {
  const condition = headers.get("if-range");
  return bytes === null || (condition !== null && condition !== etag) ? "all" : rangeOf(headers.get("range"), bytes);
}

/** Source: RFC 9110, section 13.1.2: compared weakly. */
function isKnown(header: string | null, etag: string): boolean {
  return (header ?? "").split(",").some((each) => ["*", etag, `W/${etag}`].includes(each.trim()));
}
