import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { SHARED } from "../../app/middleware/shared-pages.ts";
import type { MaintenanceReading } from "../contract/maintenance-status.ts";
import { takesBrotli } from "./codings.ts";
import { Copies, type Copy } from "./copies.ts";
import type { EdgeState } from "./edge-state.ts";
import { requestOfNobody, type VisitorRequest } from "./visitor-request.ts";

type Render = (request: Request) => Promise<Response>;
type WaitUntil = (promise: Promise<unknown>) => void;

/** A copy; or a page that may not be kept, given as it came. */
type Rendered = Copy | { version: null; status: number; headers: [string, string][]; body: Uint8Array<ArrayBuffer> };

/** What is known of the page asked for, and what it says of maintenance. */
type PageState = Pick<EdgeState, "version" | "is_current"> & { maintenance: MaintenanceReading };

/** The least that looks further back than one card of a list for the next: 5 % smaller, in 4 ms more. */
const BROTLI_QUALITY = 7;
/** A render somebody else began is waited for this long; then the page is rendered once more. */
const PATIENCE_MS = 8000;

/** Answers visitors from copies of their pages. The rules and why they are so: docs/decisions/0006. */
export class VisitorPages {
  readonly #build: string;
  readonly #copies = new Copies();
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
    state: PageState,
    context: { render: Render; request_id: string; waitUntil: WaitUntil },
  ): Promise<Response> {
    const { request_id } = context;
    const key = this.#keyOf(visitor, state);
    const copy = await this.#copies.find(key, state.version);
    if (copy && (state.version === null || copy.version === state.version)) {
      return give(asked, copy, state.is_current ? "hit" : "hit; detail=api-unreachable", request_id);
    }
    const { rendered, is_own } = await this.#rendered(key, visitor, state, context);
    if (copy && rendered.version === null) context.waitUntil(this.#copies.forget(key));
    if (rendered.version !== null) {
      return give(
        asked,
        rendered,
        `fwd=${copy ? "stale" : "uri-miss"}; ${is_own ? "stored" : "collapsed"}`,
        request_id,
      );
    }
    const { status, headers, body } = rendered;
    return new Response(asked.method === "HEAD" ? null : body, { status, headers });
  }

  async #rendered(
    key: string,
    visitor: VisitorRequest,
    state: PageState,
    { render, waitUntil }: { render: Render; waitUntil: WaitUntil },
  ): Promise<{ rendered: Rendered; is_own: boolean }> {
    const name = `${key} ${state.version}`;
    const began = this.#renders.get(name);
    if (began) {
      const patience = new Promise<null>((done) => setTimeout(done, PATIENCE_MS, null));
      const rendered = await Promise.race([began.catch(() => null), patience]);
      if (rendered) return { rendered, is_own: false };
    }
    const rendering = renderPage(visitor, state, render);
    this.#renders.set(name, rendering);
    // It goes on for the others when the one who began it has gone; and only once it is kept is it no longer waited for.
    waitUntil(
      rendering
        .then((rendered) => (rendered.version === null ? undefined : this.#copies.keep(key, rendered)))
        .catch((error) => console.error(JSON.stringify({ message: "a page was not kept", error: String(error) })))
        .finally(() => this.#renders.get(name) === rendering && this.#renders.delete(name)),
    );
    return { rendered: await rendering, is_own: true };
  }

  /** Address, theme, maintenance and build; the version stands on the copy, so that a silent API leaves one to be found. */
  #keyOf({ url, theme }: VisitorRequest, { maintenance }: PageState): string {
    const parts = [this.#build, nameOf(maintenance), theme, url.origin].map(encodeURIComponent).join("/");
    return `https://pages.internal/${parts}${url.pathname}${url.search}`;
  }
}

/** A page that speaks of maintenance says when. */
function nameOf({ status, started_at, finished_at }: MaintenanceReading): string {
  return status === "NO_MAINTENANCE_SCHEDULED" ? status : `${status} ${started_at} ${finished_at}`;
}

async function renderPage(visitor: VisitorRequest, { version }: PageState, render: Render): Promise<Rendered> {
  const response = await render(requestOfNobody(visitor));
  const headers = [...response.headers];
  const body = new Uint8Array(await response.arrayBuffer());
  const { status } = response;
  if (version === null || response.headers.get("cache-control") !== SHARED) {
    return { version: null, status, headers, body };
  }
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const brotli = new Uint8Array(brotliCompressSync(body, { params }));
  return { version, etag: await etagOf(body), made_at: Date.now(), headers, body: brotli };
}

/** Weak: the same page may come in another coding. */
async function etagOf(body: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body)).subarray(0, 12);
  return `W/"${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
}

/** A kept page to one who asks for it: unchanged, packed as it is kept, or unpacked for who cannot read that. */
function give(asked: Request, copy: Copy, cache_status: string, request_id: string): Response {
  const { etag, made_at, body } = copy;
  const headers = new Headers(copy.headers);
  headers.set("x-request-id", request_id);
  headers.set("cache-status", `ofuse; ${cache_status}`);
  headers.set("age", String(Math.max(0, Math.floor((Date.now() - made_at) / 1000))));
  headers.set("etag", etag);
  headers.set("vary", "accept-encoding, cookie");
  if ((asked.headers.get("if-none-match") ?? "").includes(etag)) return new Response(null, { status: 304, headers });
  const takes_brotli = takesBrotli(asked);
  if (takes_brotli) headers.set("content-encoding", "br");
  if (asked.method === "HEAD") return new Response(null, { headers });
  if (takes_brotli) return new Response(body, { headers, encodeBody: "manual" });
  return new Response(new Uint8Array(brotliDecompressSync(body)), { headers });
}
