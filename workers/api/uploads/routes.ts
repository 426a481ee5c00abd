import type { Operation } from "../../contract/operation.ts";
import { chooseSize, PICTURE_TYPES } from "../../contract/pictures.ts";
import * as contract from "../../contract/uploads.ts";
import { isId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { uploadEndpoint } from "../http/endpoint.ts";
import { type ArrivingFile, receiveFile } from "../http/receive-file.ts";
import { type Caller, memberId, type RequestContext, type Services } from "../http/request-context.ts";
import { uploadImage, uploadMedia } from "./commands.ts";
import { findServableImage, findServableMedia, type Visibility } from "./queries.ts";
import { imageKey, isSigned, mediaKey, mediaPath, rangeOf } from "./rules.ts";

const imageReceiver =
  (access: "public" | "event", operation: Operation) =>
  async (request: Request, context: RequestContext, services: Services) => {
    const file = await receiveMemberFile(request, context, operation);
    const { image, is_replayed } = await uploadImage(context, services, file, access);
    return { answer: { image, processing_status: "completed" as const }, is_replayed };
  };

const mediaReceiver =
  (kind: "audio" | "video", access: "public" | "event", operation: Operation) =>
  async (request: Request, context: RequestContext, services: Services) => {
    const file = await receiveMemberFile(request, context, operation);
    const { media, is_replayed } = await uploadMedia(context, services, file, { kind, access });
    return { answer: { media, processing_status: "completed" as const }, is_replayed };
  };

/** Receives an uploaded file. Rejects callers who are not members before it reads the file. */
function receiveMemberFile(request: Request, context: RequestContext, operation: Operation): Promise<ArrivingFile> {
  memberId(context);
  return receiveFile(request, operation);
}

export const uploadRoutes = [
  uploadEndpoint(contract.uploadImage, imageReceiver("public", contract.uploadImage)),
  uploadEndpoint(contract.uploadPrivateImage, imageReceiver("event", contract.uploadPrivateImage)),
  uploadEndpoint(contract.uploadAudio, mediaReceiver("audio", "public", contract.uploadAudio)),
  uploadEndpoint(contract.uploadPrivateAudio, mediaReceiver("audio", "event", contract.uploadPrivateAudio)),
  uploadEndpoint(contract.uploadPrivateVideo, mediaReceiver("video", "event", contract.uploadPrivateVideo)),
];

/** The requester of a picture or a file, and their rights. Looked up only for objects that not everybody may see. */
export interface MediaReader {
  /** Returns the caller, or null for a visitor. Accepts an expired token for as long as a signed address is valid. */
  callerOf(): Promise<Caller | null>;
  isEventReadable(caller: Caller, event_id: string): Promise<boolean>;
  /** Returns the recording of a radio for whom the address was made; null when there is none for them. */
  findRecording(radio_id: string, search: URLSearchParams): Promise<ServedObject | null>;
}

const MEDIA_PATH = /^\/media\/([^/]+)\/(medium|file|recording(?:\.[a-z0-9]{2,4})?|[1-9]\d{0,4})$/;
/** Files of these types are served with their type. All other files are served as downloads of unknown type. */
const SHOWN_TYPES = /^(?:image\/(?:png|jpeg|webp|avif)|audio\/(?:mpeg|mp4|aac|ogg|wav|flac|webm)|video\/(?:mp4|webm))$/;

/**
 * Serves `/media/{image_id}/{width}`, `/media/{image_id}/medium`, `/media/{media_id}/file` and
 * `/media/{radio_id}/recording` from the bucket, after checking access. A recording's address may have the ending of its
 * file, for players of podcasts. The query `download` makes a browser save a file. Stored objects never change, so
 * browsers, and only browsers, may cache them. Nothing served here may run as a page.
 */
export async function serveMedia(request: Request, services: Services, reader: MediaReader): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    throw new Problem("method_not_allowed", { allow: ["GET", "HEAD"] });
  }
  const url = new URL(request.url);
  const [, id = "", asked = ""] = MEDIA_PATH.exec(url.pathname) ?? [];
  const served = isId(id) ? await findObject(request, services, reader, { id, asked }) : null;
  if (!served || !(await canSee(served, id, url, services, reader))) throw new Problem("not_found");
  const response = await respondWithObject(served, request, services.media);
  if (served.file_name && url.searchParams.has("download")) {
    const name = encodeURIComponent(served.file_name).replace(
      /['()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16)}`,
    );
    response?.headers.set("content-disposition", `attachment; filename*=UTF-8''${name}`);
  }
  if (!response) throw new Problem("not_found");
  return response;
}

function findObject(
  request: Request,
  services: Services,
  reader: MediaReader,
  { id, asked }: { id: string; asked: string },
): Promise<ServedObject | null> {
  if (asked.startsWith("recording")) return reader.findRecording(id, new URL(request.url).searchParams);
  return asked === "file" ? findFile(services, id) : findPicture(request, services, id, asked);
}

/** One object of the bucket, and who may see it. */
export interface ServedObject extends Visibility {
  key: string;
  content_type: string;
  etag: string;
  /** The size of an audio or video file; null for pictures. */
  bytes: number | null;
  is_negotiated: boolean;
  /** Whether access was checked when the object was looked up. */
  is_checked?: true;
  /** The name under which a browser saves the file. */
  file_name?: string;
}

async function findPicture(
  request: Request,
  services: Services,
  id: string,
  asked: string,
): Promise<ServedObject | null> {
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

async function findFile(services: Services, id: string): Promise<ServedObject | null> {
  const found = await findServableMedia(services.database, id);
  return found && { ...found, key: mediaKey(id), etag: `"${id}"`, is_negotiated: false };
}

/**
 * Whether the caller may see an object. Everybody may see open ones. Any other needs an address signed for the caller,
 * who must own it or be able to read the post that shows it.
 */
async function canSee(
  served: ServedObject,
  id: string,
  url: URL,
  services: Services,
  reader: MediaReader,
): Promise<boolean> {
  if (served.is_open || served.is_checked) return true;
  if (!url.searchParams.has("signature")) return false;
  const caller = await reader.callerOf();
  const signer = { media_key: services.media_key, now_ms: services.clock.now(), caller };
  if (!caller || !(await isSigned(mediaPath(id), url.searchParams, signer))) return false;
  if (caller.user_id === served.owner_user_id) return true;
  return served.event_id !== null && (await reader.isEventReadable(caller, served.event_id));
}

/**
 * Returns how long a browser may cache an object. An account that leaves or is disabled takes its public pictures along,
 * so they are kept for a day; then the ETag renews them. When a post becomes locked, people who saw its pictures keep
 * them only a little longer.
 */
function cacheControl({ access, is_open }: Visibility): string {
  if (access === "public") return "public, max-age=86400";
  return is_open ? "public, max-age=300" : "private, max-age=300";
}

/** Answers with the whole object, a range of it, or 304. Returns null when the bucket has no such object. */
async function respondWithObject(served: ServedObject, request: Request, bucket: R2Bucket): Promise<Response | null> {
  const { content_type, etag } = served;
  const is_shown = SHOWN_TYPES.test(content_type);
  const headers = new Headers({
    "content-type": is_shown ? content_type : "application/octet-stream",
    "content-disposition": is_shown ? "inline" : "attachment",
    etag,
    "cache-control": cacheControl(served),
    "content-security-policy": "default-src 'none'; sandbox",
    // Feed readers and link previews show open pictures on other sites.
    "cross-origin-resource-policy": served.is_open ? "cross-origin" : "same-origin",
  });
  if (served.is_negotiated) headers.set("vary", "accept");
  if (matchesETag(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  const range = requestedRange(served, request);
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

/**
 * Returns the requested range of an audio or video file. Pictures are small and always sent whole. Only a GET has a range:
 * RFC 9110, section 14.2.
 */
function requestedRange({ bytes, etag }: ServedObject, { method, headers }: Request): ReturnType<typeof rangeOf> {
  if (bytes === null || method !== "GET") return "all";
  const condition = headers.get("if-range");
  return condition !== null && condition !== etag ? "all" : rangeOf(headers.get("range"), bytes);
}

/** Whether If-None-Match contains the ETag, compared weakly. Source: RFC 9110, section 13.1.2. */
function matchesETag(header: string | null, etag: string): boolean {
  return (header ?? "").split(",").some((each) => ["*", etag, `W/${etag}`].includes(each.trim()));
}
