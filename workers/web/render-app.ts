import * as build from "virtual:react-router/server-build";
import { createRequestHandler } from "@react-router/cloudflare";
import { RouterContextProvider } from "react-router";
import { keptOf } from "../../app/forms/kept.ts";
import { isOpenUnderMaintenance, isTakenUnderMaintenance } from "../../app/middleware/open-pages.ts";
import { isOpenToOperators } from "../../app/middleware/operators-way.ts";
import { EMBED_PATH } from "../../app/middleware/shared-pages.ts";
import { edgeContext, keptContext, maintenanceContext, pausedContext } from "../../app/request/context.ts";
import { identityContext } from "../../app/session/context.ts";
import type { Site } from "../../app/site/site.ts";
import { siteContext } from "../../app/site/site-context.ts";
import { readWords } from "../../app/uploads/receive.ts";
import { admitRequest, isUpload } from "./admission.ts";
import { allowedMethods } from "./allowed-methods.ts";
import { edgeOf, identityAccessOf } from "./edge.ts";
import type { Incoming } from "./incoming.ts";
import type { SiteState } from "./maintenance-answers.ts";
import { isSafe } from "./same-origin.ts";

/** Created once: React Router derives its routes from the build at the first request and keeps them. */
const handleApp = createRequestHandler<WebEnv>({
  build,
  mode: import.meta.env.MODE,
  getLoadContext: ({ context }) => context.cloudflare.data.provided as RouterContextProvider,
});

/** Renders the app's answer. If the request or maintenance forbids it, the app renders a page that says so. */
export async function renderApp(incoming: Incoming, site: Site, state: SiteState): Promise<Response> {
  const { maintenance, paused_features } = state;
  const { env, execution, request_id, client_address, device } = incoming;
  const provided = new RouterContextProvider();
  provided.set(edgeContext, edgeOf(env, request_id, client_address));
  provided.set(identityContext, identityAccessOf(env, request_id, client_address, device));
  provided.set(maintenanceContext, maintenance);
  provided.set(pausedContext, paused_features);
  provided.set(siteContext, site);
  const admitted = await admitRequest(incoming.request, provided);
  const is_closed = maintenance.status === "UNDER_MAINTENANCE";
  // The app does not read `cf`, which the new request lacks.
  const request = (is_closed ? await openOrMaintenance(admitted, provided) : admitted) as Incoming["request"];
  const answer = await handleApp({
    request,
    env,
    waitUntil: (promise) => execution.waitUntil(promise),
    passThroughOnException: () => execution.passThroughOnException(),
    functionPath: "",
    params: {},
    data: { provided },
    next: () => env.ASSETS.fetch(request),
  });
  if (answer.status === 405) {
    answer.headers.set("allow", allowedMethods(build.routes, new URL(request.url).pathname));
  }
  return answer;
}

/**
 * Under maintenance, returns a request for the maintenance page in place of a closed document, and keeps the form's
 * words for it. Requests from an open page's scripts stay as they are: the app's middleware answers them in their
 * format.
 */
async function openOrMaintenance(request: Request, provided: RouterContextProvider): Promise<Request> {
  const { pathname, search } = new URL(request.url);
  const is_open =
    (isSafe(request) ? isOpenUnderMaintenance(pathname) : isTakenUnderMaintenance(pathname)) ||
    (await isOpenToOperators(request, provided.get(identityContext).session_keys));
  // The frame of other sites cannot show the maintenance page, and says itself that the site is closed.
  const is_framed = isSafe(request) && EMBED_PATH.test(pathname);
  if (pathname.endsWith(".data") || is_open || is_framed) return request;
  if (isUpload(request)) provided.set(keptContext, keptOf(await readWords(request), pathname + search));
  const headers = new Headers(request.headers);
  headers.delete("content-type");
  return new Request(new URL("/maintenance", request.url), {
    method: request.method === "HEAD" ? "HEAD" : "GET",
    headers,
  });
}
