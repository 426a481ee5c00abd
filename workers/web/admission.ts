import type { RouterContextProvider } from "react-router";
import { keptOf } from "../../app/forms/kept.ts";
import { type Inadmissible, inadmissibleContext, keptContext } from "../../app/request/context.ts";
import { JSON_BYTES } from "../contract/bounds.ts";
import { boundaryOf } from "../contract/multipart.ts";
import { readBounded } from "../kernel/bounded-body.ts";
import { parseBoundedForm } from "./bounded-form.ts";
import { isSafe, isSameOrigin } from "./same-origin.ts";

/** Where the app takes files, from a document or from its own scripts. */
const UPLOADS = /^\/my\/uploads(?:\.data|\/file|\/profile)?$/;
/** Enough for every form but a post's. A letter far over its limit still comes back to its writer. */
const MAX_FORM_BYTES = 512 * 1024;
/** Where the form of a post goes, from a document or from the app's own scripts. */
const POSTS = /^\/my\/posts\/(?:new|[^/]+\/edit|drafts\/[^/]+\/save\.json)(?:\.data)?$/;
/** A form writes one byte of JSON as three (`%E3`) at most. The rest is for the fields beside the text. */
const MAX_POST_BYTES = 3 * JSON_BYTES + 16 * 1024;

/**
 * Returns the request that the app answers. A request it must not see (from another site, with a path that is no text, or with a body
 * that is too large, no form, or has too many fields) is replaced by a harmless one; the app's error boundary then says why.
 */
export async function admitRequest(request: Request, provided: RouterContextProvider): Promise<Request> {
  const { url, headers } = request;
  const reject = (reason: Inadmissible): Request => {
    provided.set(inadmissibleContext, reason);
    return new Request(new URL("/404", url), { headers });
  };
  if (!isReadablePath(url)) return reject("unreadable_path");
  if (!isSameOrigin(request)) return reject("cross_site");
  // The route reads an upload as it arrives: it is larger than any form, and never held in memory.
  if (isUpload(request)) return request;
  if (isSafe(request) && !request.body) return request;
  const body = await readBounded(request, POSTS.test(new URL(url).pathname) ? MAX_POST_BYTES : MAX_FORM_BYTES);
  if (!body) return reject("too_large");
  const form = await parseBoundedForm(body, headers.get("content-type"));
  if (typeof form === "string") return reject(form);
  const { pathname, search } = new URL(url);
  // If the page fails later, the error page shows these words.
  provided.set(keptContext, keptOf(form, pathname + search));
  return new Request(request, { body });
}

/** Whether the request is a form with files, sent to where the app takes them. */
export function isUpload({ url, method, headers }: Request): boolean {
  const is_taken = method === "POST" && UPLOADS.test(new URL(url).pathname);
  return is_taken && boundaryOf(headers.get("content-type")) !== null;
}

/** Whether the path is percent-encoded UTF-8 without NUL. */
function isReadablePath(url: string): boolean {
  try {
    return !decodeURIComponent(new URL(url).pathname).includes("\0");
  } catch {
    return false;
  }
}
