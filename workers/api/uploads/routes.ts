import { isId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { problemAnswer } from "../http/answer.ts";
import type { Services } from "../http/request-context.ts";
import { findServableImage } from "./queries.ts";
import { isSigned } from "./rules.ts";

const MEDIA_PATH = /^\/media\/([^/]+)\/medium$/;

/** How long a browser keeps a picture. A post may be locked: those who saw its picture may do so only a little longer. */
function cacheControl({ is_open, is_always_open }: { is_open: boolean; is_always_open: boolean }): string {
  if (is_always_open) return "public, max-age=86400";
  return is_open ? "public, max-age=300" : "private, max-age=300";
}

/**
 * Serves `/media/{image_id}/medium` from the bucket, behind the access check. A stored picture never changes, so an open
 * one may be kept, by browsers alone. Nothing served here may run as a page.
 */
export async function serveMedia(request: Request, services: Services, request_id: string): Promise<Response> {
  const url = new URL(request.url);
  if (request.method !== "GET" && request.method !== "HEAD") {
    const refusal = problemAnswer(new Problem("method_not_allowed"), request_id);
    refusal.headers.set("allow", "GET, HEAD");
    return refusal;
  }
  const image_id = MEDIA_PATH.exec(url.pathname)?.[1] ?? "";
  const signer = { media_key: services.media_key, now_ms: services.clock.now() };
  const image = isId(image_id)
    ? await findServableImage(services.database, image_id, await isSigned(url, signer))
    : null;
  const object = image && (await services.media.get(image.key, { onlyIf: request.headers }));
  if (!image || !object) return problemAnswer(new Problem("not_found"), request_id);
  const headers = new Headers({
    "content-type": image.content_type,
    etag: object.httpEtag,
    "cache-control": cacheControl(image),
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    // Feeds and link previews show open pictures on other sites.
    "cross-origin-resource-policy": image.is_open || image.is_always_open ? "cross-origin" : "same-origin",
    "x-request-id": request_id,
  });
  if (!("body" in object)) return new Response(null, { status: 304, headers });
  headers.set("content-length", String(object.size));
  return new Response(request.method === "HEAD" ? null : object.body, { headers });
}
