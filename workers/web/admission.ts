import type { RouterContextProvider } from "react-router";
import { keptOf } from "../../app/forms/kept.ts";
import { type Inadmissible, inadmissibleContext, keptContext } from "../../app/request/context.ts";
import { FORM_BYTES, POST_FORM_BYTES } from "../contract/bounds.ts";
import { boundaryOf } from "../contract/multipart.ts";
import { readBounded } from "../kernel/bounded-body.ts";
import { parseBoundedForm } from "./bounded-form.ts";
import { isSafe, isSameOrigin } from "./same-origin.ts";

/** The paths that accept uploads, from a form or from the app's scripts. */
const UPLOADS =
  /^\/my\/(?:uploads(?:\.data|\/file|\/profile)?|memberships\/[0-9a-z]{26}\/picture|radio\/[0-9a-z]{26}\/(?:picture|recording)|settings\/import|news_letters\/(?:new|[0-9a-z]{26}\/edit))$/;
/** The paths that accept the form of a post, a newsletter or a radio with its transcript, from a form or from the app's scripts. */
const LONG_FORMS =
  /^\/my\/(?:posts|news_letters|radio)\/(?:new|[^/]+\/edit|(?:drafts\/[^/]+\/)?save\.json)(?:\.data)?$/;
/**
 * The path to which mailboxes send the POST that stops newsletters, from any origin or none. The link is signed, and the
 * page reads no cookie. Source: RFC 8058, section 3.2.
 */
const STOPS = /^\/unsubscribe\/[\w.-]+$/;
/** A form without files writes a byte as three (`%E3`) at most, a multipart form as one. */
const ENCODED = 3;

/**
 * Returns the request for the app. Replaces a request that the app must not see by a harmless one, for which the app's
 * error boundary says why: a cross-site request, a path that is not UTF-8, or a body that is too large, no form, or has
 * too many fields.
 */
export async function admitRequest(request: Request, provided: RouterContextProvider): Promise<Request> {
  const { url, headers } = request;
  const rejectRequest = (reason: Inadmissible): Request => {
    provided.set(inadmissibleContext, reason);
    return new Request(new URL("/404", url), { headers });
  };
  if (!isReadablePath(url)) return rejectRequest("unreadable_path");
  const is_foreign = !isSameOrigin(request);
  if (is_foreign && !STOPS.test(new URL(url).pathname)) return rejectRequest("cross_site");
  // The route reads an upload as a stream: it is larger than any form, and must not be held in memory.
  if (isUpload(request)) return request;
  if (isSafe(request) && !request.body) return request;
  const content_type = headers.get("content-type");
  const words = LONG_FORMS.test(new URL(url).pathname) ? POST_FORM_BYTES : FORM_BYTES;
  const body = await readBounded(request, boundaryOf(content_type) === null ? ENCODED * words : words);
  if (!body) return rejectRequest("too_large");
  const form = await parseBoundedForm(body, content_type);
  if (typeof form === "string") return rejectRequest(form);
  const { pathname, search } = new URL(url);
  // If the page fails later, the error page shows the typed words.
  provided.set(keptContext, keptOf(form, pathname + search));
  const admitted = new Request(request, { body });
  // React Router refuses each POST that names another origin.
  if (is_foreign) admitted.headers.delete("origin");
  return admitted;
}

/** Returns true for a form with files, sent to a path that accepts uploads. */
export function isUpload({ url, method, headers }: Request): boolean {
  const is_taken = method === "POST" && UPLOADS.test(new URL(url).pathname);
  return is_taken && boundaryOf(headers.get("content-type")) !== null;
}

/** Returns true when the path is percent-encoded UTF-8 without NUL. */
function isReadablePath(url: string): boolean {
  try {
    return !decodeURIComponent(new URL(url).pathname).includes("\0");
  } catch {
    return false;
  }
}
