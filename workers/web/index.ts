import * as build from "virtual:react-router/server-build";
import { createRequestHandler } from "@react-router/cloudflare";
import { RouterContextProvider } from "react-router";
import { edgeContext, inadmissibleContext } from "../../app/middleware/context.ts";
import { newId } from "../kernel/ids.ts";
import { deploymentBreaches } from "../verifier/deployment.ts";
import { boundBody } from "./bounded-body.ts";
import { edgeOf, isEmbedded } from "./edge.ts";

/** Paths of the two other services; they answer on this origin and never see a cookie. */
const API_PATHS = /^\/(v4|api|media)\//;
const IDENTITY_PATHS =
  /^\/(v2\/general|service_accounts|emulator|identitytoolkit\.googleapis\.com|securetoken\.googleapis\.com|www\.googleapis\.com)\//;
const HASHED_ASSETS = "/assets/";
const PUBLIC_FILES = /^\/(favicon\.(ico|svg)|apple-touch-icon\.png|share\.png)$/;

export default {
  async fetch(request, env, execution) {
    const breaches = breachesOf(env);
    if (breaches.length > 0) {
      console.error(JSON.stringify({ message: "this deployment must not serve", breaches }));
      return new Response("Service misconfigured", { status: 500 });
    }
    const { pathname } = new URL(request.url);
    const client_address = env.LOCAL_CLIENT_ADDRESS || request.headers.get("cf-connecting-ip");
    if (API_PATHS.test(pathname)) return env.API.fetch(withoutCookies(request, client_address));
    if (IDENTITY_PATHS.test(pathname)) return env.IDENTITY.fetch(withoutCookies(request, client_address));
    if (pathname.startsWith(HASHED_ASSETS) || PUBLIC_FILES.test(pathname)) return serveAsset(request, env, pathname);
    return renderApp(request, env, execution, client_address);
  },
} satisfies ExportedHandler<WebEnv>;

function breachesOf(env: WebEnv): string[] {
  return deploymentBreaches({
    environment: env.ENVIRONMENT,
    project_id: env.PROJECT_ID,
    jwks_url: env.JWKS_URL,
    has_embedded_provider: isEmbedded(env.IDENTITY_TOOLKIT_URL) || isEmbedded(env.SECURE_TOKEN_URL),
    secrets: { SESSION_KEYS: env.SESSION_KEYS, IDENTITY_API_KEY: env.IDENTITY_API_KEY },
  });
}

/** The services trust nothing a browser sends by itself, and only our own word for the client's address. */
function withoutCookies(request: Request, client_address: string | null): Request {
  const forwarded = new Request(request);
  forwarded.headers.delete("cookie");
  forwarded.headers.delete("cf-connecting-ip");
  if (client_address) forwarded.headers.set("cf-connecting-ip", client_address);
  return forwarded;
}

async function serveAsset(request: Request, env: WebEnv, pathname: string): Promise<Response> {
  const found = await env.ASSETS.fetch(request);
  const response = new Response(found.body, found);
  response.headers.set("x-content-type-options", "nosniff");
  // Names under /assets/ carry a hash of the content, so what is there never changes.
  const keep = pathname.startsWith(HASHED_ASSETS) ? "public, max-age=31536000, immutable" : "public, max-age=3600";
  response.headers.set("cache-control", found.ok ? keep : "no-store");
  return response;
}

async function renderApp(
  request: Request,
  env: WebEnv,
  execution: ExecutionContext,
  client_address: string | null,
): Promise<Response> {
  const context = new RouterContextProvider();
  context.set(edgeContext, edgeOf(env, newId(Date.now()), client_address));
  // The app does not look at `cf`, which a request made anew does not have.
  const asked = (await admissible(request, context)) as Request<unknown, IncomingRequestCfProperties>;
  return createRequestHandler<WebEnv>({ build, getLoadContext: () => context })({
    request: asked,
    env,
    waitUntil: (promise) => execution.waitUntil(promise),
    passThroughOnException: () => execution.passThroughOnException(),
    functionPath: "",
    params: {},
    data: {},
    next: () => env.ASSETS.fetch(asked),
  });
}

/**
 * The request as the app may have it. One it cannot have (a path that is no text, a body without end) is replaced by a
 * harmless one, and the app's own boundary says why.
 */
async function admissible(request: Request, context: RouterContextProvider): Promise<Request> {
  const { url, method, headers } = request;
  if (!isReadablePath(url)) {
    context.set(inadmissibleContext, "unreadable_path");
    return new Request(new URL("/404", url), { headers });
  }
  const bounded = await boundBody(request);
  if (bounded) return bounded;
  context.set(inadmissibleContext, "too_large");
  return new Request(url, { method, headers });
}

/** Whether the path is percent-encoded UTF-8 without NUL. */
function isReadablePath(url: string): boolean {
  try {
    return !decodeURIComponent(new URL(url).pathname).includes("\0");
  } catch {
    return false;
  }
}
