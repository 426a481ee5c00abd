import { createHash } from "node:crypto";
import * as build from "virtual:react-router/server-build";
import { createRequestHandler } from "@react-router/cloudflare";
import { RouterContextProvider } from "react-router";
import { keptOf } from "../../app/forms/kept.ts";
import {
  type Edge,
  edgeContext,
  type Inadmissible,
  inadmissibleContext,
  keptContext,
  maintenanceContext,
  siteContext,
} from "../../app/middleware/context.ts";
import { isOpenUnderMaintenance, isTakenUnderMaintenance } from "../../app/middleware/open-pages.ts";
import { SessionKeys } from "../../app/session/session.ts";
import type { Site } from "../../app/site/site.ts";
import { readWords } from "../../app/uploads/receive.ts";
import { JSON_BYTES } from "../contract/bounds.ts";
import type { ErrorCode } from "../contract/errors.ts";
import { getMaintenance } from "../contract/maintenance.ts";
import { type MaintenanceReading, NO_MAINTENANCE, retryAfterSeconds } from "../contract/maintenance-status.ts";
import { boundaryOf } from "../contract/multipart.ts";

import { problemJson } from "../contract/problem.ts";
import { readBounded } from "../kernel/bounded-body.ts";
import { newId } from "../kernel/ids.ts";
import { findDeploymentBreaches, isEmbedded, listSecrets } from "../verifier/deployment.ts";
import { isPostedCallback, ledToCallback } from "./apple-callback.ts";
import type { Asking } from "./asking.ts";
import { isAsset, serveAsset } from "./assets.ts";
import { parseBoundedForm } from "./bounded-form.ts";
import { collect, EventRates, isCollected } from "./collector.ts";
import { edgeOf } from "./edge.ts";
import { EdgeStates } from "./edge-state.ts";
import { forTag, inDataset, logged } from "./event-outlets.ts";
import { forwarded } from "./forwarded.ts";
import { Maintenance, readingOf } from "./maintenance.ts";
import { asViewer } from "./media.ts";
import { isSafe, isSameOrigin } from "./same-origin.ts";
import { isSessionWatch, watchSession } from "./session-watch.ts";
import { serveShareImage } from "./share-images.ts";
import { readSite } from "./site.ts";
import { VisitorPages } from "./visitor-pages.ts";
import { asVisitor, type VisitorRequest } from "./visitor-request.ts";

export { Renewals } from "./renewals.ts";

/** Paths of the two other services; they answer on this origin and never see a cookie. */
const API_PATHS = /^\/(v4|api|media)\//;
const IDENTITY_PATHS =
  /^\/(v2\/general|service_accounts|emulator|developer-idp|identitytoolkit\.googleapis\.com|securetoken\.googleapis\.com|www\.googleapis\.com)\//;
const MEDIA = "/media/";
const SHARE_IMAGES = "/share-images/";
/** Where the app takes files, from a document or from its own scripts. */
const UPLOADS = /^\/my\/uploads(?:\.data|\/file|\/profile)?$/;
/** Enough for the longest form the app has but that of a post: a letter far over its limit still comes back to its writer. */
const MAX_FORM_BYTES = 512 * 1024;
/** Where the form of a post goes, from a document or from the app's own scripts. */
const POSTS = /^\/my\/posts\/(?:new|[^/]+\/edit|drafts\/[^/]+\/save\.json)(?:\.data)?$/;
/**
 * All that may become a call: a form writes a byte of its JSON as three (`%E3`) at most. The rest is for what goes along with
 * the words.
 */
const MAX_POST_BYTES = 3 * JSON_BYTES + 16 * 1024;
/** How long the API may take to say what is planned. */
const API_TIME_LIMIT_MS = 5000;

export default {
  async fetch(request, env, execution) {
    deployed ??= readDeployment(env);
    if (!deployed.site) {
      console.error(JSON.stringify({ message: "this deployment must not serve", breaches: deployed.breaches }));
      return new Response("Service misconfigured", { status: 500 });
    }
    const { pathname } = new URL(request.url);
    const client_address = env.LOCAL_CLIENT_ADDRESS || request.headers.get("cf-connecting-ip");
    const request_id = newId(Date.now());
    const device = request.headers.get("user-agent") ?? "";
    const edge = () => edgeOf(env, request_id, client_address, device);
    const asking = () => askingOf(edge(), execution);
    if (API_PATHS.test(pathname)) {
      if (pathname === getMaintenance.path && request.method === "GET") {
        return answerMaintenance(request, env, asking, client_address, request_id);
      }
      const reading = isSafe(request) ? null : await currentReading(env, asking);
      if (reading?.status === "UNDER_MAINTENANCE") return refuseClosed(reading, request_id);
      const asked = pathname.startsWith(MEDIA) ? asViewer(request, () => new SessionKeys(env.SESSION_KEYS)) : request;
      return forward(env.API, await asked, client_address, request_id);
    }
    if (IDENTITY_PATHS.test(pathname)) return forward(env.IDENTITY, request, client_address, request_id);
    if (isAsset(pathname)) return serveAsset(request, env.ASSETS, pathname);
    if (pathname.startsWith(SHARE_IMAGES)) {
      // The pages they stand for are closed as well.
      const reading = await currentReading(env, asking);
      if (reading.status === "UNDER_MAINTENANCE") return refuseClosed(reading, request_id);
      return serveShareImage(request, {
        // Whoever asks, it is a visitor's: no cookie is looked at, nor the client's address.
        transport: { ...edgeOf(env, request_id, null).transport, request_id },
        share_images: env.SHARE_IMAGES,
        // With hot reload what draws changes and its name does not.
        build: import.meta.env.DEV ? request_id : import.meta.env.VITE_BUILD_ID,
        waitUntil: (promise) => execution.waitUntil(promise),
      });
    }
    if (isCollected(pathname)) return collectEvents(request, env, execution, client_address);
    if (isPostedCallback(request)) return ledToCallback(request, new SessionKeys(env.SESSION_KEYS), request_id);
    if (isSessionWatch(pathname)) return watchSession(request, env, request_id);
    const visitor = asVisitor(request);
    // With hot reload what renders changes and its name does not.
    if (visitor && !import.meta.env.DEV) return answerVisitor(request, visitor, env, execution, deployed, request_id);
    return renderApp(request, env, execution, deployed.site, edge(), await currentReading(env, asking));
  },
} satisfies ExportedHandler<WebEnv>;

/** Found once: what a worker is bound to does not change while it lives. */
let deployed: Deployed | { site: null; breaches: string[] } | undefined;

interface Deployed {
  site: Site;
  pages: VisitorPages;
}

function readDeployment(env: WebEnv): NonNullable<typeof deployed> {
  const described = readSite(env.SITE, env.ENVIRONMENT);
  const breaches = [...breachesOf(env), ...described.breaches];
  if (!("site" in described) || breaches.length > 0) return { site: null, breaches };
  const site = {
    ...described.site,
    // Said of the property alone, whether or not its secret is there yet: rather too early than too late.
    is_google_told: Boolean(env.TAG_ID),
    has_recaptcha: !isEmbedded(env.IDENTITY_TOOLKIT_URL),
    has_firestore: env.SIGN_OUT_WATCH === "firestore",
  };
  return { site, pages: new VisitorPages(nameOfRendering(env)) };
}

/**
 * What renders: the build, who runs the site, what else is told or asked, and the key outbound links are signed with. A
 * copy made by another is not ours.
 */
function nameOfRendering(env: WebEnv): string {
  const { SITE, TAG_ID, IDENTITY_TOOLKIT_URL, SIGN_OUT_WATCH } = env;
  const [signing_key] = env.SESSION_KEYS.split(",");
  const configured = createHash("sha256")
    .update(JSON.stringify([SITE, TAG_ID, IDENTITY_TOOLKIT_URL, SIGN_OUT_WATCH, signing_key]))
    .digest("hex")
    .slice(0, 16);
  return `${import.meta.env.VITE_BUILD_ID}.${configured}`;
}

function breachesOf(env: WebEnv): string[] {
  return findDeploymentBreaches({
    environment: env.ENVIRONMENT,
    project_id: env.PROJECT_ID,
    jwks_url: env.JWKS_URL,
    has_embedded_provider: isEmbedded(env.IDENTITY_TOOLKIT_URL) || isEmbedded(env.SECURE_TOKEN_URL),
    secrets: { ...listSecrets("SESSION_KEYS", env.SESSION_KEYS), IDENTITY_API_KEY: env.IDENTITY_API_KEY },
  });
}

async function forward(
  service: Fetcher,
  request: Request,
  client_address: string | null,
  request_id: string,
): Promise<Response> {
  try {
    return await service.fetch(forwarded(request, client_address, request_id));
  } catch (error) {
    console.error(JSON.stringify({ message: "a service did not answer", request_id, error: String(error) }));
    return refuse("unavailable", request_id, { "cache-control": "no-store" });
  }
}

const maintenances = new Maintenance();
const edgeStates = new EdgeStates(maintenances);
const eventRates = new EventRates();

/** What a deployment may be bound to besides: docs/operations.md, "What pages tell". */
type WithOutlets = WebEnv & { EVENTS?: AnalyticsEngineDataset; TAG_SECRET?: string };

function collectEvents(
  request: Request,
  env: WithOutlets,
  execution: ExecutionContext,
  client_address: string | null,
): Promise<Response> {
  const { EVENTS, TAG_ID: id, TAG_SECRET: secret } = env;
  const waitUntil = (promise: Promise<unknown>) => execution.waitUntil(promise);
  const outlets = [
    logged,
    ...(EVENTS ? [inDataset(EVENTS)] : []),
    ...(id && secret ? [forTag({ id, secret }, { fetch: (...sent) => fetch(...sent), waitUntil })] : []),
  ];
  const session_keys = new SessionKeys(env.SESSION_KEYS);
  return collect(request, { session_keys, rates: eventRates, address: client_address ?? "", outlets });
}

/** A page that is the same for every visitor, so far as it can be: the client's address is not looked at either. */
async function answerVisitor(
  request: Request,
  visitor: VisitorRequest,
  env: WebEnv,
  execution: ExecutionContext,
  { site, pages }: Deployed,
  request_id: string,
): Promise<Response> {
  // Made only where it is used: a copy at hand needs none of it.
  const edge = () => edgeOf(env, request_id, null);
  const { version, is_current, maintenance } = await edgeStates.of(visitor.url.pathname, () =>
    askingOf(edge(), execution),
  );
  const reading = readingOf(maintenance, env.MAINTENANCE, Date.now());
  const state = { version, is_current, maintenance: reading };
  const render = (asked: Request) => renderApp(asked, env, execution, site, edge(), reading);
  const waitUntil = (promise: Promise<unknown>) => execution.waitUntil(promise);
  return pages.answer(request, visitor, state, { request_id, render, waitUntil });
}

function askingOf({ transport, request_id }: Edge, execution: ExecutionContext): Asking {
  return { transport: { ...transport, request_id }, waitUntil: (promise) => execution.waitUntil(promise) };
}

/** Where this moment stands, for whoever is no visitor. */
async function currentReading(env: WebEnv, asking: () => Asking): Promise<MaintenanceReading> {
  return readingOf(await maintenances.current(asking), env.MAINTENANCE, Date.now());
}

/**
 * Under maintenance the answer to what is no page: a call that would change something, a share image. Reading goes on:
 * operators look whether all is well.
 */
function refuseClosed(reading: MaintenanceReading, request_id: string): Response {
  return refuse("under_maintenance", request_id, {
    "cache-control": "private, no-store",
    "retry-after": String(retryAfterSeconds(reading, Date.now())),
  });
}

/** A 503 in the API's own form, where the API was not asked or did not answer. */
function refuse(code: ErrorCode, request_id: string, headers: Record<string, string>): Response {
  return new Response(JSON.stringify(problemJson(code, request_id)), {
    status: 503,
    headers: {
      "content-type": "application/problem+json",
      "x-content-type-options": "nosniff",
      "x-request-id": request_id,
      ...headers,
    },
  });
}

/**
 * `GET /api/maintenance` as open pages poll it: the API's answer, learnt on the way, with what is stated here merged in; of a
 * silent API what was last known. `X-Now` is there for pages whose own clock is wrong: `Date` knows no milliseconds.
 */
async function answerMaintenance(
  request: Request,
  env: WebEnv,
  asking: () => Asking,
  client_address: string | null,
  request_id: string,
): Promise<Response> {
  const asked_at = Date.now();
  // A remote API's record is not the one behind this worker's binding.
  const answer = env.V4_ORIGIN
    ? null
    : await forward(
        env.API,
        new Request(request, { signal: AbortSignal.timeout(API_TIME_LIMIT_MS) }),
        client_address,
        request_id,
      );
  if (answer && answer.status >= 300 && answer.status < 500) return answer;
  if (answer?.ok) maintenances.learn(await readJson(answer.clone()), asked_at, asking().waitUntil);
  const record = answer ? await maintenances.last() : await maintenances.current(asking);
  const { status, started_at, finished_at } = readingOf(record ?? NO_MAINTENANCE, env.MAINTENANCE, Date.now());
  if (answer && !record && status === "NO_MAINTENANCE_SCHEDULED") return answer;
  const headers = new Headers(answer?.ok ? answer.headers : { "cache-control": "private, no-store" });
  headers.set("content-type", "application/json");
  headers.set("x-content-type-options", "nosniff");
  headers.set("x-now", new Date().toISOString());
  headers.delete("content-length");
  return new Response(JSON.stringify({ started_at, finished_at }), { headers });
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

/** Made once: React Router derives its tree of routes from the build lazily, and keeps it. */
const handleApp = createRequestHandler<WebEnv>({
  build,
  mode: import.meta.env.MODE,
  getLoadContext: ({ context }) => context.cloudflare.data.provided as RouterContextProvider,
});

async function renderApp(
  request: Request,
  env: WebEnv,
  execution: ExecutionContext,
  site: Site,
  edge: Edge,
  maintenance: MaintenanceReading,
): Promise<Response> {
  const provided = new RouterContextProvider();
  provided.set(edgeContext, edge);
  provided.set(maintenanceContext, maintenance);
  provided.set(siteContext, site);
  const admitted = await admissible(request, provided);
  const is_closed = maintenance.status === "UNDER_MAINTENANCE";
  // The app does not look at `cf`, which a request made anew does not have.
  const asked = (is_closed ? await led(admitted, provided) : admitted) as Request<unknown, IncomingRequestCfProperties>;
  return handleApp({
    request: asked,
    env,
    waitUntil: (promise) => execution.waitUntil(promise),
    passThroughOnException: () => execution.passThroughOnException(),
    functionPath: "",
    params: {},
    data: { provided },
    next: () => env.ASSETS.fetch(asked),
  });
}

/**
 * The request as the app may have it. One it must not have (from another site, of a path that is no text, with a body
 * that does not end, is no form or has more fields than any form of ours) is replaced by a harmless one, and the app's own
 * boundary says why.
 */
async function admissible(request: Request, provided: RouterContextProvider): Promise<Request> {
  const { url, headers } = request;
  const refuse = (reason: Inadmissible): Request => {
    provided.set(inadmissibleContext, reason);
    return new Request(new URL("/404", url), { headers });
  };
  if (!isReadablePath(url)) return refuse("unreadable_path");
  if (!isSameOrigin(request)) return refuse("cross_site");
  // Read by the route as it arrives: it is larger than any form, and held nowhere.
  if (isUpload(request)) return request;
  if (isSafe(request) && !request.body) return request;
  const body = await readBounded(request, POSTS.test(new URL(url).pathname) ? MAX_POST_BYTES : MAX_FORM_BYTES);
  if (!body) return refuse("too_large");
  const form = await parseBoundedForm(body, headers.get("content-type"));
  if (typeof form === "string") return refuse(form);
  const { pathname, search } = new URL(url);
  // Whatever page fails because of what it needs: the words of the form it answers stand on it.
  provided.set(keptContext, keptOf(form, pathname + search));
  return new Request(request, { body });
}

/**
 * The request under maintenance: the maintenance view's in place of a document that is closed, the words of a form with it.
 * What an open page's scripts ask stays as it is: the app's own middleware answers in their language.
 */
async function led(request: Request, provided: RouterContextProvider): Promise<Request> {
  const { pathname, search } = new URL(request.url);
  const is_open = isSafe(request) ? isOpenUnderMaintenance(pathname) : isTakenUnderMaintenance(pathname);
  if (pathname.endsWith(".data") || is_open) return request;
  if (isUpload(request)) provided.set(keptContext, keptOf(await readWords(request), pathname + search));
  const headers = new Headers(request.headers);
  headers.delete("content-type");
  return new Request(new URL("/maintenance", request.url), {
    method: request.method === "HEAD" ? "HEAD" : "GET",
    headers,
  });
}

/** Whether it is a form with files, sent to where the app takes them. */
function isUpload({ url, method, headers }: Request): boolean {
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
