import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { type Display, displayAttributes, displayValue } from "../../app/browser/displays.ts";
import { SHARED } from "../../app/middleware/shared-pages.ts";
import type { MaintenanceReading } from "../contract/maintenance-status.ts";
import { log } from "../kernel/log.ts";
import { takesBrotli } from "./codings.ts";
import { Copies, type Copy } from "./copies.ts";
import type { EdgeState } from "./edge-state.ts";
import type { SiteState } from "./maintenance-answers.ts";
import { toAnonymousRequest, type VisitorRequest } from "./visitor-request.ts";

type Render = (request: Request) => Promise<Response>;
type WaitUntil = (promise: Promise<unknown>) => void;

/** A copy, or a page that is not cached and is served as rendered. */
type Rendered = Copy | Uncached;

interface Uncached {
  version: null;
  status: number;
  headers: [string, string][];
  body: Uint8Array<ArrayBuffer>;
  /** Whether other visitors may get the same answer. An answer with a cookie or a form's key is for one visitor alone. */
  is_shared: boolean;
}

/** The version of the requested page, and the state of the site that it shows. */
type PageState = Pick<EdgeState, "version" | "is_current"> & SiteState;

/** The lowest quality that finds matches beyond the previous card of a list: 5 % smaller for 4 ms more. */
const BROTLI_QUALITY = 7;
/** How long to wait for a render that another request began, before rendering again. */
const PATIENCE_MS = 8000;

/** Answers visitors from copies of their pages. The rules and their reasons: docs/decisions/0006. */
export class VisitorPages {
  readonly #build: string;
  readonly #copies = new Copies();
  /** Renders in progress, by address and version. Further requests wait for the same one. */
  readonly #renders = new Map<string, Promise<Rendered>>();

  /** @param build names the rendering code: copies of another build are not served. */
  constructor(build: string) {
    this.#build = build;
  }

  /**
   * Answers from a copy of the current version, or from a render that several requests may share. While the API does
   * not answer, serves the last copy and says so in `Cache-Status` (RFC 9211). Never serves a copy known to be
   * outdated: its content may have been locked or deleted since.
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
      return serveCopy(asked, copy, visitor, state.is_current ? "hit" : "hit; detail=api-unreachable", request_id);
    }
    const { rendered, is_own } = await this.#joinOrRender(key, visitor, state, context);
    if (copy && rendered.version === null) context.waitUntil(this.#copies.forget(key));
    if (rendered.version !== null) {
      return serveCopy(
        asked,
        rendered,
        visitor,
        `fwd=${copy ? "stale" : "uri-miss"}; ${is_own ? "stored" : "collapsed"}`,
        request_id,
      );
    }
    const { status, headers } = rendered;
    const body = withDisplay(rendered.body, new Headers(headers), visitor.display) ?? rendered.body;
    return new Response(asked.method === "HEAD" ? null : body, { status, headers });
  }

  async #joinOrRender(
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
      if (rendered && (rendered.version !== null || rendered.is_shared)) return { rendered, is_own: false };
    }
    const rendering = renderPage(visitor, state, render);
    this.#renders.set(name, rendering);
    // The render continues for the others if the request that began it is aborted. It counts as in progress until its
    // copy is stored.
    waitUntil(
      rendering
        .then((rendered) => (rendered.version === null ? undefined : this.#copies.keep(key, rendered)))
        .catch((error) => log("error", { message: "a page was not kept", error: String(error) }))
        .finally(() => this.#renders.get(name) === rendering && this.#renders.delete(name)),
    );
    return { rendered: await rendering, is_own: true };
  }

  /**
   * Returns the cache key: address, theme, maintenance, paused features and build. The version is part of the copy instead, so that a
   * copy is found while the API does not answer.
   */
  #keyOf({ url, theme }: VisitorRequest, { maintenance, paused_features }: PageState): string {
    const site = [nameOfMaintenance(maintenance), ...paused_features].join(" ");
    const parts = [this.#build, site, theme, url.origin].map(encodeURIComponent).join("/");
    return `https://pages.internal/${parts}${url.pathname}${url.search}`;
  }
}

/** Returns a name for the maintenance state. It includes the times, because pages show them. */
function nameOfMaintenance({ status, started_at, finished_at }: MaintenanceReading): string {
  return status === "NO_MAINTENANCE_SCHEDULED" ? status : `${status} ${started_at} ${finished_at}`;
}

async function renderPage(visitor: VisitorRequest, { version }: PageState, render: Render): Promise<Rendered> {
  const response = await render(toAnonymousRequest(visitor));
  const headers = [...response.headers];
  const body = new Uint8Array(await response.arrayBuffer());
  const { status } = response;
  const is_shared = response.headers.get("cache-control") === SHARED;
  if (version === null || !is_shared) return { version: null, status, headers, body, is_shared };
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const brotli = new Uint8Array(brotliCompressSync(body, { params }));
  return { version, etag: await etagOf(body), made_at: Date.now(), headers, body: brotli };
}

/** Weak, because the same page may have another content coding. */
async function etagOf(body: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body)).subarray(0, 12);
  return `W/"${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
}

/** Serves a copy: 304 if unchanged, compressed as stored, or uncompressed for a client without brotli. */
function serveCopy(
  asked: Request,
  copy: Copy,
  { display }: VisitorRequest,
  cache_status: string,
  request_id: string,
): Response {
  const { made_at } = copy;
  const headers = new Headers(copy.headers);
  const is_default = isDefault(display);
  const etag = is_default ? copy.etag : copy.etag.replace(/"$/, `-${displayValue(display)}"`);
  headers.set("x-request-id", request_id);
  headers.set("cache-status", `ofuse; ${cache_status}`);
  headers.set("age", String(Math.max(0, Math.floor((Date.now() - made_at) / 1000))));
  headers.set("etag", etag);
  headers.set("vary", "accept-encoding, cookie");
  if ((asked.headers.get("if-none-match") ?? "").includes(etag)) return new Response(null, { status: 304, headers });
  const takes_brotli = takesBrotli(asked) && is_default;
  if (takes_brotli) headers.set("content-encoding", "br");
  if (asked.method === "HEAD") return new Response(null, { headers });
  if (takes_brotli) return new Response(copy.body, { headers, encodeBody: "manual" });
  const body = new Uint8Array(brotliDecompressSync(copy.body));
  return new Response(withDisplay(body, headers, display) ?? body, { headers });
}

const isDefault = (display: Display) => Object.values(displayAttributes(display)).every((value) => !value);

/** How the app begins the root element of a page. */
const ROOT = '<html lang="ja"';

/**
 * Returns a page with the reader's text size and motion, or null when it stays as it is. The few readers who chose one
 * share the copy of all others.
 */
function withDisplay(body: Uint8Array<ArrayBuffer>, headers: Headers, display: Display): string | null {
  if (isDefault(display) || !headers.get("content-type")?.startsWith("text/html")) return null;
  const written = Object.entries(displayAttributes(display)).map(([name, value]) =>
    value ? ` ${name}="${value}"` : "",
  );
  return new TextDecoder().decode(body).replace(ROOT, ROOT + written.join(""));
}
