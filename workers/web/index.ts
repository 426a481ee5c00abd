import { SessionKeys } from "../../app/session/session.ts";
import { CHAT_SOCKET_PATH } from "../contract/chat-names.ts";
import { LIVENESS_PATH, METRICS_PATH, READINESS_PATH } from "../contract/health.ts";
import { unsubscribeIdentity } from "../contract/identity.ts";
import { LIVE_SOUND_PATH } from "../contract/live-engine.ts";
import { MAIL_WEBHOOK_PATH } from "../contract/mails.ts";
import { getMaintenance } from "../contract/maintenance.ts";
import { OPERATOR_PATHS } from "../contract/operation.ts";
import { newId } from "../kernel/ids.ts";
import { log, nameLogs } from "../kernel/log.ts";
import { nameRoute } from "../kernel/request-log.ts";
import { isPostedCallback, redirectToCallback } from "./apple-callback.ts";
import { isAsset, serveAsset } from "./assets.ts";
import { openChat } from "./chat-socket.ts";
import { collectBatch, EventRates, isCollected } from "./collector.ts";
import { type Deployed, readDeployment } from "./deployment.ts";
import { edgeOf } from "./edge.ts";
import { EdgeStates } from "./edge-state.ts";
import { logRows, sendToTag, writeToDataset } from "./event-outlets.ts";
import { finishAnswer } from "./finish-answer.ts";
import { answerLiveness, Readiness } from "./health.ts";
import { askingOf, type Incoming } from "./incoming.ts";
import {
  answerMaintenance,
  isRead,
  maintenance,
  readSiteState,
  refuseClosed,
  siteStateOf,
} from "./maintenance-answers.ts";
import { toViewerRequest } from "./media.ts";
import { answerMetrics, hasMetricsKey } from "./metrics.ts";
import { openOverlayStream, overlayTokenOf } from "./overlay-stream.ts";
import { renderApp } from "./render-app.ts";
import { forwardTo } from "./services.ts";
import { isSessionWatch, watchSession } from "./session-watch.ts";
import { serveShareImage } from "./share-images.ts";
import { forgetFramedCookies, toVisitorRequest, type VisitorRequest } from "./visitor-request.ts";

export { Renewals } from "./renewals.ts";

/** Paths of the other workers. They answer on this origin and never get a cookie. */
const API_PATHS = /^\/(v4|api|media)\//;
const IDENTITY_PATHS =
  /^\/(v2\/general|service_accounts|emulator|developer-idp|identitytoolkit\.googleapis\.com|securetoken\.googleapis\.com|www\.googleapis\.com)\//;
/** Stripe's API and the hosted pages of the embedded payment gateway, which only a demo has. */
const GATEWAY_PATHS = /^\/(v1|payment-gateway)\//;
const MEDIA = "/media/";
/** Every file of the build is one route. */
const ASSETS_ROUTE = "/assets/*";
const SHARE_IMAGES = "/share-images/";

nameLogs("web");

const edgeStates = new EdgeStates(maintenance);
const eventRates = new EventRates();
const readiness = new Readiness();
/** Read at the first request: a worker's bindings never change. */
let deployed: ReturnType<typeof readDeployment> | undefined;

export default {
  async fetch(request, env, execution) {
    deployed ??= readDeployment(env);
    if (!deployed.site) {
      log("error", { message: "this deployment must not serve", breaches: deployed.breaches });
      return new Response("Service misconfigured", { status: 500 });
    }
    const began_ms = Date.now();
    const incoming = {
      request: forgetFramedCookies(request),
      env,
      execution,
      request_id: newId(began_ms),
      client_address: env.LOCAL_CLIENT_ADDRESS || request.headers.get("cf-connecting-ip"),
      device: request.headers.get("user-agent") ?? "",
    };
    const response = await routeRequest(deployed, incoming);
    return finishAnswer(incoming.request, response, incoming.request_id, began_ms);
  },
} satisfies ExportedHandler<WebEnv>;

async function routeRequest(deployed: Deployed, incoming: Incoming): Promise<Response> {
  const { request, env, request_id } = incoming;
  const { pathname } = new URL(request.url);
  if (pathname === MAIL_WEBHOOK_PATH && request.method === "POST") return forwardTo(env.MAILS, incoming);
  // Also while the site is closed: a broadcaster on air must be able to send what was said.
  if (pathname.startsWith(LIVE_SOUND_PATH)) return forwardTo(env.RADIO, incoming);
  if (API_PATHS.test(pathname)) return answerApi(incoming, pathname);
  // The product decides whether an account may be deleted. Identity does not know.
  if (pathname === unsubscribeIdentity.path) return forwardTo(env.API, incoming);
  if (IDENTITY_PATHS.test(pathname)) return forwardTo(env.IDENTITY, incoming);
  if (GATEWAY_PATHS.test(pathname) && hasGateway(env)) return forwardTo(env.GATEWAY, incoming);
  if (isAsset(pathname)) {
    nameRoute(request, ASSETS_ROUTE);
    return serveAsset(request, env.ASSETS, pathname);
  }
  if (pathname.startsWith(SHARE_IMAGES)) {
    nameRoute(request, `${SHARE_IMAGES}*`);
    return answerShareImage(incoming);
  }
  if (isCollected(pathname)) {
    nameRoute(request, pathname);
    return collectEvents(incoming);
  }
  if (isPostedCallback(request)) return redirectToCallback(request, new SessionKeys(env.SESSION_KEYS), request_id);
  if (isSessionWatch(pathname)) {
    nameRoute(request, pathname);
    return watchSession(request, env, request_id);
  }
  if (pathname.startsWith(CHAT_SOCKET_PATH)) {
    nameRoute(request, `${CHAT_SOCKET_PATH}*`);
    return openChat(incoming);
  }
  const overlay_token = overlayTokenOf(pathname);
  if (overlay_token) nameRoute(request, "/overlay/*");
  if (overlay_token) return openOverlayStream(incoming, overlay_token);
  const visitor = toVisitorRequest(request);
  // During hot reload, pages change without a new build name.
  if (visitor && !import.meta.env.DEV) return answerVisitor(incoming, visitor, deployed);
  return renderApp(incoming, deployed.site, await readSiteState(incoming));
}

/** Whether the embedded payment gateway is bound. No wrangler.toml names it: scripts/network.ts binds it in a demo. */
function hasGateway(env: WebEnv): env is WebEnv & { GATEWAY: Fetcher } {
  return "GATEWAY" in env;
}

async function answerApi(incoming: Incoming, pathname: string): Promise<Response> {
  const { request, env, request_id } = incoming;
  if (request.method === "GET" || request.method === "HEAD") {
    if (pathname === LIVENESS_PATH || pathname === READINESS_PATH) nameRoute(request, pathname);
    if (pathname === LIVENESS_PATH) return answerLiveness();
    if (pathname === READINESS_PATH) return readiness.answer(incoming);
  }
  // Without the key the address is unknown: the API answers so below.
  if (pathname === METRICS_PATH && request.method === "GET" && hasMetricsKey(incoming)) {
    nameRoute(request, pathname);
    return answerMetrics(incoming);
  }
  if (pathname === getMaintenance.path && request.method === "GET") return answerMaintenance(incoming);
  // Operators must be able to end the maintenance.
  const is_open = isRead(request) || pathname.startsWith(OPERATOR_PATHS);
  const reading = is_open ? null : (await readSiteState(incoming)).maintenance;
  if (reading?.status === "UNDER_MAINTENANCE") return refuseClosed(reading, request_id);
  if (!pathname.startsWith(MEDIA)) return forwardTo(env.API, incoming);
  const asked = await toViewerRequest(request, () => new SessionKeys(env.SESSION_KEYS));
  return forwardTo(env.API, { ...incoming, request: asked as Incoming["request"] });
}

async function answerShareImage(incoming: Incoming): Promise<Response> {
  const { request, env, execution, request_id } = incoming;
  // The pages that show these pictures are closed as well.
  const { maintenance: reading } = await readSiteState(incoming);
  if (reading.status === "UNDER_MAINTENANCE") return refuseClosed(reading, request_id);
  return serveShareImage(request, {
    // Treat every caller as a visitor: read neither cookies nor the client's address.
    transport: { ...edgeOf(env, request_id, null).transport, request_id },
    share_images: env.SHARE_IMAGES,
    // During hot reload, the drawing code changes without a new build name.
    build: import.meta.env.DEV ? request_id : import.meta.env.VITE_BUILD_ID,
    waitUntil: (promise) => execution.waitUntil(promise),
  });
}

/** Optional bindings of a deployment: docs/operations.md, "What pages tell". */
type WithOutlets = WebEnv & { EVENTS?: AnalyticsEngineDataset; TAG_SECRET?: string };

function collectEvents({ request, env, execution, client_address }: Incoming): Promise<Response> {
  const { EVENTS, TAG_ID: id, TAG_SECRET: secret } = env as WithOutlets;
  const waitUntil = (promise: Promise<unknown>) => execution.waitUntil(promise);
  const outlets = [
    logRows,
    ...(EVENTS ? [writeToDataset(EVENTS)] : []),
    ...(id && secret ? [sendToTag({ id, secret }, { fetch: (...sent) => fetch(...sent), waitUntil })] : []),
  ];
  const session_keys = new SessionKeys(env.SESSION_KEYS);
  return collectBatch(request, { session_keys, rates: eventRates, address: client_address ?? "", outlets });
}

/**
 * Answers a page that is the same for every visitor, from its copy if there is one. It does not use the client's
 * address.
 */
async function answerVisitor(
  incoming: Incoming,
  visitor: VisitorRequest,
  { site, pages }: Deployed,
): Promise<Response> {
  const { request, execution, request_id } = incoming;
  const shared: Incoming = { ...incoming, client_address: null, device: "" };
  // Created only to ask the API: a copy is served without it.
  const createAsking = () => askingOf(shared);
  const { version, is_current, record } = await edgeStates.of(visitor.url.pathname, createAsking);
  const state = { version, is_current, ...siteStateOf(record, incoming) };
  return pages.answer(request, visitor, state, {
    request_id,
    render: (asked) => renderApp({ ...shared, request: asked as Incoming["request"] }, site, state),
    waitUntil: (promise) => execution.waitUntil(promise),
  });
}
