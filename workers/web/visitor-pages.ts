import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { SHARED } from "../../app/middleware/shared-pages.ts";
import { takesBrotli } from "./codings.ts";
import type { EdgeState } from "./edge-state.ts";
import { requestOfNobody, type VisitorRequest } from "./visitor-request.ts";

/** Copies of visitors' pages at the edge. The rules and why they are so: docs/decisions/0006. */

/** A rendered page as it is kept. */
interface Copy {
  version: string;
  etag: string;
  made_at: number;
  headers: [string, string][];
}
type Render = (request: Request) => Promise<Response>;

interface Rendered {
  /** Null for a page that may not be kept; it is then given as it came. */
  copy: Copy | null;
  status: number;
  headers: [string, string][];
  body: Uint8Array<ArrayBuffer>;
}

const openCache = () => caches.open("visitor-pages");
/** How long a copy may be given while the API is silent. */
const KEPT_S = 24 * 60 * 60;
const BROTLI_QUALITY = 6;
/** A render somebody else began is waited for this long; then the page is rendered once more. */
const PATIENCE_MS = 8000;

export class VisitorPages {
  readonly #build: string;
  /** Renders under way, by address and version: whoever asks meanwhile waits for the same. */
  readonly #renders = new Map<string, Promise<Rendered>>();

  /** @param build names the code that renders: another build's copies are not this one's. */
  constructor(build: string) {
    this.#build = build;
  }

  /**
   * Answers from a copy whose version is still the page's own, else from a render that many may wait for. While the API is
   * silent the last copy is given, and `Cache-Status` (RFC 9211) says so; one known to be outdated never is, because
   * what it shows may have been locked or deleted since.
   */
  async answer(
    asked: Request,
    visitor: VisitorRequest,
    state: EdgeState,
    context: { render: Render; request_id: string; waitUntil(promise: Promise<unknown>): void },
  ): Promise<Response> {
    const key = this.#keyOf(visitor, state);
    const found = await findCopy(key);
    const copy = found && (JSON.parse(found.headers.get("x-copy") ?? "null") as Copy | null);
    const is_last_known = copy && (state.version === null || copy.version === state.version);
    const reply = (headers: [string, string][], cache_status: string) =>
      withHeaders(headers, { "cache-status": `ofuse; ${cache_status}`, "x-request-id": context.request_id });
    if (found && copy && is_last_known) {
      const headers = reply(copy.headers, state.is_current ? "hit" : "hit; detail=api-unreachable");
      headers.set("age", String(Math.max(0, Math.floor((Date.now() - copy.made_at) / 1000))));
      return give(asked, copy.etag, headers, found.body, () => found.arrayBuffer());
    }
    const began = this.#renders.get(`${key} ${state.version}`);
    const { rendered, is_own } = await this.#rendered(key, visitor, state, context, began);
    const why = copy ? "fwd=stale" : "fwd=uri-miss";
    const { body, status } = rendered;
    if (rendered.copy) {
      const headers = reply(rendered.headers, `${why}; ${is_own ? "stored" : "collapsed"}`);
      return give(asked, rendered.copy.etag, headers, body, async () => body.buffer);
    }
    return new Response(asked.method === "HEAD" ? null : body, { status, headers: rendered.headers });
  }

  async #rendered(
    key: string,
    visitor: VisitorRequest,
    state: EdgeState,
    { render, waitUntil }: { render: Render; waitUntil(promise: Promise<unknown>): void },
    began: Promise<Rendered> | undefined,
  ): Promise<{ rendered: Rendered; is_own: boolean }> {
    if (began) {
      const patience = new Promise<null>((done) => setTimeout(done, PATIENCE_MS, null));
      const rendered = await Promise.race([began.catch(() => null), patience]);
      if (rendered) return { rendered, is_own: false };
    }
    const rendering = renderPage(visitor, state, render);
    const name = `${key} ${state.version}`;
    this.#renders.set(name, rendering);
    // It goes on for the others when the one who began it has gone; and only once it is stored is it no longer waited for.
    waitUntil(
      rendering
        .then(async ({ copy, body }) => copy && (await openCache()).put(key, stored(copy, body)))
        .catch((error) => console.error(JSON.stringify({ message: "a page was not kept", error: String(error) })))
        .finally(() => this.#renders.get(name) === rendering && this.#renders.delete(name)),
    );
    return { rendered: await rendering, is_own: true };
  }

  /** Address, theme, maintenance and build; the version stands on the copy, so that a silent API leaves one to be found. */
  #keyOf({ url, theme }: VisitorRequest, { maintenance }: EdgeState): string {
    const parts = [this.#build, maintenance, theme, url.origin].map(encodeURIComponent).join("/");
    return `https://pages.internal/${parts}${url.pathname}${url.search}`;
  }
}

/** A cache that fails costs a render and not the page. */
async function findCopy(key: string): Promise<Response | undefined> {
  try {
    return await (await openCache()).match(key);
  } catch (error) {
    console.error(JSON.stringify({ message: "the cache of pages failed", error: String(error) }));
    return undefined;
  }
}

async function renderPage(visitor: VisitorRequest, { version }: EdgeState, render: Render): Promise<Rendered> {
  const response = await render(requestOfNobody(visitor));
  const headers = [...response.headers];
  const body = new Uint8Array(await response.arrayBuffer());
  const { status } = response;
  const may_be_kept = response.headers.get("cache-control") === SHARED && version !== null;
  if (!may_be_kept || version === null) return { copy: null, status, headers, body };
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const copy = { version, etag: await etagOf(body), made_at: Date.now(), headers };
  return { copy, status, headers, body: new Uint8Array(brotliCompressSync(body, { params })) };
}

function stored(copy: Copy, brotli: Uint8Array<ArrayBuffer>): Response {
  const headers = { "cache-control": `public, max-age=${KEPT_S}`, "x-copy": JSON.stringify(copy) };
  return new Response(brotli, { headers: { ...headers, "content-type": "application/octet-stream" } });
}

async function etagOf(body: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body)).subarray(0, 12);
  return `"${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
}

function withHeaders(page: [string, string][], answer: Record<string, string>): Headers {
  const headers = new Headers(page);
  for (const [name, value] of Object.entries(answer)) headers.set(name, value);
  return headers;
}

/** A kept page to one who asks for it: unchanged, compressed as it is kept, or unpacked for who cannot read that. */
async function give(
  asked: Request,
  etag: string,
  headers: Headers,
  brotli: BodyInit | null,
  read: () => Promise<ArrayBuffer>,
): Promise<Response> {
  // Weak: the same page may come in another coding.
  headers.set("etag", `W/${etag}`);
  headers.set("vary", "accept-encoding, cookie");
  const known = asked.headers.get("if-none-match") ?? "";
  if (known.includes(etag)) return new Response(null, { status: 304, headers });
  const takes_brotli = takesBrotli(asked);
  if (takes_brotli) headers.set("content-encoding", "br");
  if (asked.method === "HEAD") return new Response(null, { headers });
  if (takes_brotli) return new Response(brotli, { headers, encodeBody: "manual" });
  return new Response(new Uint8Array(brotliDecompressSync(new Uint8Array(await read()))), { headers });
}
