import type { RouterContextProvider } from "react-router";
import { urlKey } from "../../../workers/contract/radios.ts";
import { getOverlay } from "../../../workers/contract/streaming.ts";
import { v4Context } from "../../request/context.ts";

/** Reads an overlay by the token of its address. Throws an empty page with status 404 for a wrong or replaced one. */
export async function readOverlay(context: Readonly<RouterContextProvider>, token: string, after?: number) {
  if (!urlKey.safeParse(token).success) throw emptyPage(404);
  const sent = await context.get(v4Context).asVisitor().withUrlKey(token).send(getOverlay, { query: { after } });
  if (!sent.ok) throw emptyPage(sent.refusal.status);
  return sent.answer;
}

/** How many seconds streaming software waits before it loads an overlay again that failed for a while. */
const RETRY_S = 30;

/** Returns a page that shows nothing: the viewers of a stream would read the words of an error. */
function emptyPage(status: number): Response {
  const retry = status >= 500 ? `<meta http-equiv="refresh" content="${RETRY_S}">` : "";
  const html = `<!doctype html><html lang="ja"><head><meta charset="utf-8">${retry}<title>ofuse</title></head><body></body></html>`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex, nofollow",
    },
  });
}
