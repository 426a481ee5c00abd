import { DEPENDENCIES_PATH, FIGURES_PATH } from "../contract/health.ts";
import { unsubscribeIdentity } from "../contract/identity.ts";
import { readIssuerNumber } from "../contract/invoice-number.ts";
import type { LiveEngine } from "../contract/live-engine.ts";
import { answerDependencies } from "../http/dependencies.ts";
import { answerRequest } from "../http/door.ts";
import { systemClock } from "../kernel/clock.ts";
import { nameLogs } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";
import { nameRoute, request_meter } from "../kernel/request-log.ts";
import type { WorkerFigures } from "../kernel/request-meter.ts";
import { MEND_STEP, mendAfterJump } from "../storage/clock-jumps.ts";
import { runSteps, type Steps } from "../storage/clock-runs.ts";
import type { ReadCount } from "../storage/joined-reads.ts";
import { pingDatabase } from "../storage/ping.ts";
import { beginCount, countQueries, halfOfRest, isSpent, type QueryCount } from "../storage/query-count.ts";
import { findDeploymentBreaches, isEmbedded, isLocal, listSecrets } from "../verifier/deployment.ts";
import type { VerifierSettings } from "../verifier/index.ts";
import { findReadableEvent } from "./comments/queries.ts";
import { isDocs, serveDocs } from "./docs/routes.ts";
import type { CronSteps } from "./domain.ts";
import { registry } from "./domains.ts";
import { type GatewaySettings, openGateway } from "./gateway/client.ts";
import { receiveWebhook, WEBHOOK_PATH } from "./gateway/webhooks.ts";
import { hashAddress } from "./http/address-hash.ts";
import { createApp } from "./http/app.ts";
import { authenticateCaller } from "./http/authenticate.ts";
import type { Services } from "./http/request-context.ts";
import { signInsOf } from "./http/sign-in-state.ts";
import { deleteIdentityAccount } from "./leaving/identity-account.ts";
import { openMails } from "./mails/client.ts";
import { answerWatch, tellPages, WATCH_PATH } from "./notifications/watch.ts";
import { readGauges } from "./operator/queries.ts";
import { openPush, type PushSettings } from "./push/client.ts";
import { openChatRooms } from "./radio-chat/rooms.ts";
import { answerChatSocket, CHAT_PATH } from "./radio-chat/socket.ts";
import { findServableRecording, listenerServices, RECORDING_URL_MS } from "./radios/playback.ts";
import { findPodcastRecording, isOfPodcast } from "./radios/podcasts.ts";
import { openDatabase } from "./storage/database.ts";
import { type Dispatcher, dispatchLongWork, dispatchNew, dispatchOutbox, dispatchUntried } from "./storage/outbox.ts";
import { purgeExpired } from "./storage/retention.ts";
import { openSearchDatabase } from "./storage/search-database.ts";
import { mendWaits } from "./storage/waits.ts";
import { openOverlayRooms } from "./streaming/rooms.ts";
import { answerOverlayStream, OVERLAY_STREAM_PATH } from "./streaming/stream.ts";
import { type MediaReader, serveMedia } from "./uploads/routes.ts";
import { SIGNED_URL_MS } from "./uploads/rules.ts";

export { NotificationRoom } from "./notifications/room.ts";
export { RadioChatRoom } from "./radio-chat/room.ts";
export { OverlayRoom } from "./streaming/room.ts";

nameLogs("api");

const app = createApp(registry.endpoints);

/** Addresses that are no operations. */
const OWN_PATHS: ReadonlySet<string> = new Set([
  DEPENDENCIES_PATH,
  FIGURES_PATH,
  WATCH_PATH,
  CHAT_PATH,
  OVERLAY_STREAM_PATH,
  WEBHOOK_PATH,
  unsubscribeIdentity.path,
]);

/** Time limit of one run of the cron job for outbox rows. Notifying 100,000 followers of a post creates many. */
const DISPATCH_MS = 50_000;
/** After this share of its queries one run of the cron job dispatches nothing more. The others are for the steps that follow. */
const DISPATCH_SHARE = 0.6;

/** The bindings of the payment gateway. A deployment may have none: see {@link openGateway}. */
type GatewayEnv = ApiEnv & GatewaySettings;
/** The keys of push notifications. A deployment may have none: see {@link openPush}. */
type PushEnv = ApiEnv & PushSettings;

/** Returns the environment of one invocation, which counts its queries. */
function countQueriesOf(given: ApiEnv): { env: ApiEnv; count: QueryCount } {
  const count = beginCount(isLocal(given.ENVIRONMENT));
  const databases = { DB: countQueries(given.DB, count), SEARCH: countQueries(given.SEARCH, count) };
  return { env: { ...given, ...databases }, count };
}

/** Creates the services of one request. Requests share no database, because the runtime ties a trip to its request. */
function createServices(env: ApiEnv, read_count?: ReadCount): Services {
  return {
    database: openDatabase(env.DB, read_count),
    d1: env.DB,
    search: openSearchDatabase(env.SEARCH),
    media: env.MEDIA,
    pictures: env.PICTURES,
    media_key: env.MEDIA_KEY,
    bank_keys: env.BANK_KEYS,
    issuer_number: readIssuerNumber(env.SITE),
    gateway: openGateway(env as GatewayEnv),
    mails: openMails(env.MAILS),
    push: openPush(env as PushEnv, env.IDENTITY),
    // The generated type of a binding to an entrypoint has no methods.
    sound: env.RADIO as unknown as LiveEngine,
    chat: openChatRooms(env.RADIO_CHAT_ROOM),
    overlays: openOverlayRooms(env.OVERLAY_ROOM),
    clock: systemClock,
  };
}

const verifierOf = (env: ApiEnv): VerifierSettings => ({
  project_id: env.PROJECT_ID,
  jwks_url: env.JWKS_URL,
  fetch: (input, init) => (isEmbedded(input) ? env.IDENTITY.fetch(input, init) : fetch(input, init)),
});

function dispatcherOf(env: ApiEnv, isOver: () => boolean): Dispatcher {
  const { clock, ...services } = createServices(env);
  const { reactions, kinds_of_triggers, kinds_at_once, kinds_of_long_work } = registry;
  return {
    ...services,
    now_ms: clock.now(),
    isOver,
    reactions,
    kinds_of_triggers,
    kinds_at_once,
    kinds_of_long_work,
    tellPages: (user_ids) => tellPages({ database: services.database, rooms: env.NOTIFICATION_ROOM }, user_ids),
  };
}

async function dispatchWithinLimits(env: ApiEnv, count: QueryCount): Promise<void> {
  const began_at = Date.now();
  const isOver = () => Math.abs(Date.now() - began_at) >= DISPATCH_MS || isSpent(count, DISPATCH_SHARE);
  await dispatchOutbox(dispatcherOf(env, isOver));
  while ((await dispatchUntried(dispatcherOf(env, isOver))) && !isOver());
  await dispatchLongWork(dispatcherOf(env, isOver));
}

/**
 * Tells `serveMedia` who asks for a picture. A signed address is valid for an hour and may outlive the token with which
 * its page was made, so an expired token is accepted for that long. A caller with an invalid token counts as a visitor,
 * because a page cannot show the error of a picture.
 */
function mediaReaderOf(request: Request, services: Services, verifier: VerifierSettings): MediaReader {
  const { clock, ...parts } = services;
  const callerWithin = async (tolerance_ms: number) => {
    const accepting = { ...verifier, tolerance_s: tolerance_ms / 1000 };
    try {
      return await authenticateCaller("optional", request, accepting, parts.database);
    } catch (error) {
      if (error instanceof Problem && error.code !== "unavailable") return null;
      throw error;
    }
  };
  return {
    callerOf: () => callerWithin(SIGNED_URL_MS),
    async isEventReadable(caller, event_id) {
      const asked = { ...parts, now_ms: clock.now(), caller };
      const context = { ...asked, request_id: "", address_hash: null, idempotency: null, announce: () => {} };
      return (await findReadableEvent(context, event_id)) !== null;
    },
    findRecording: (radio_id, search) =>
      isOfPodcast(search)
        ? findPodcastRecording(radio_id, search, services)
        : findServableRecording(radio_id, search, {
            ...listenerServices(services),
            callerOf: () => callerWithin(RECORDING_URL_MS),
          }),
  };
}

/** Returns the reasons why this worker must refuse to serve: see workers/verifier/deployment.ts. */
function findBreaches(env: ApiEnv): string[] {
  return findDeploymentBreaches({
    environment: env.ENVIRONMENT,
    project_id: env.PROJECT_ID,
    jwks_url: env.JWKS_URL,
    has_embedded_provider: isEmbedded(env.JWKS_URL),
    has_embedded_gateway: "GATEWAY" in env,
    secrets: { MEDIA_KEY: env.MEDIA_KEY, ...listSecrets("BANK_KEYS", env.BANK_KEYS) },
  });
}

async function routeRequest(
  request: Request,
  request_id: string,
  given: ApiEnv,
  execution: ExecutionContext,
): Promise<Response> {
  const { env, count } = countQueriesOf(given);
  const isOver = () => isSpent(count);
  const breaches = findBreaches(env);
  if (breaches.length > 0) throw new Error(breaches.join("; "));
  // In production the number of reads could tell what a caller may not see.
  const read_count: ReadCount | undefined =
    env.ENVIRONMENT === "local" ? { trips: 0, statements: 0, repeats: 0 } : undefined;
  const services = createServices(env, read_count);
  const { pathname } = new URL(request.url);
  // Media have ids in their paths. The other paths below are fixed.
  if (pathname.startsWith("/media/")) {
    nameRoute(request, "/media/*");
    return serveMedia(request, services, mediaReaderOf(request, services, verifierOf(env)));
  }
  if (OWN_PATHS.has(pathname)) nameRoute(request, pathname);
  if (isDocs(pathname)) return serveDocs(request);
  if (pathname === FIGURES_PATH) {
    const gauges = await readGauges(services);
    return Response.json({ requests: request_meter.read(), gauges } satisfies WorkerFigures);
  }
  if (pathname === DEPENDENCIES_PATH) {
    return answerDependencies({
      database: () => pingDatabase(env.DB),
      search: () => pingDatabase(env.SEARCH),
      // Whether the bucket answers: there need not be anything under this name.
      media: () => env.MEDIA.head("nothing"),
    });
  }
  if (pathname === WATCH_PATH) {
    const signIns = signInsOf(env.IDENTITY, request_id);
    const caller = await authenticateCaller("required", request, verifierOf(env), services.database, {
      requireLive: (claims, token) => signIns.requireLive(claims, token, false),
    });
    return answerWatch(request, caller?.user_id, { database: services.database, rooms: env.NOTIFICATION_ROOM });
  }
  if (pathname === unsubscribeIdentity.path && request.method === unsubscribeIdentity.method) {
    return deleteIdentityAccount(request, {
      ...{ database: services.database, verifier: verifierOf(env), signIns: signInsOf(env.IDENTITY, request_id) },
      ...{ identity: env.IDENTITY, now_ms: services.clock.now() },
    });
  }
  if (pathname === CHAT_PATH) return answerChatSocket(request, services.clock.now(), env);
  if (pathname === OVERLAY_STREAM_PATH) {
    const { database, d1, media_key, clock } = services;
    const bearer = { database, d1, now_ms: clock.now(), address_hash: await hashAddress(request, media_key) };
    return answerOverlayStream(request, bearer, env.OVERLAY_ROOM);
  }
  if (pathname === WEBHOOK_PATH && request.method === "POST") {
    const outbox_id = await receiveWebhook(request, services);
    const notify = async () => {
      await dispatchNew(dispatcherOf(env, isOver), [outbox_id]);
      // Reactions to a payment write rows for others, such as that of a letter.
      await dispatchUntried(dispatcherOf(env, isOver));
    };
    execution.waitUntil(notify());
    return new Response(null, { status: 204 });
  }
  const response = await app(request, request_id, {
    services,
    verifier: verifierOf(env),
    signIns: (id) => signInsOf(env.IDENTITY, id),
    announce: (outbox_ids) => execution.waitUntil(dispatchNew(dispatcherOf(env, isOver), outbox_ids)),
    tellPages: (user_ids) =>
      execution.waitUntil(tellPages({ database: services.database, rooms: env.NOTIFICATION_ROOM }, user_ids)),
    operator_access: { key: env.OPERATOR_KEY, identity: env.IDENTITY, mails: services.mails },
  });
  if (read_count) {
    const { trips, statements, repeats } = read_count;
    response.headers.set("server-timing", `db;desc="${trips} trips, ${statements} statements, ${repeats} repeats"`);
  }
  return response;
}

export default {
  fetch: (request, env, execution) =>
    answerRequest(request, (request_id) => routeRequest(request, request_id, env, execution)),

  async scheduled(_controller, given) {
    const { env, count } = countQueriesOf(given);
    const services = createServices(env);
    const { d1, database, clock } = services;
    const bindSteps = (steps: CronSteps): Steps =>
      Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, () => step(services, halfOfRest(count))]));
    const now_ms = clock.now();
    const steps = {
      [MEND_STEP]: () => mendAfterJump({ d1, database, now_ms }, () => mendWaits(database, registry.waits, now_ms)),
      ...bindSteps(registry.due),
      dispatchOutbox: () => dispatchWithinLimits(env, count),
      purgeExpired: () => purgeExpired(d1, database, clock.now(), registry.expiries),
      ...bindSteps(registry.upkeep),
    };
    await runSteps(steps, services);
  },
} satisfies ExportedHandler<ApiEnv>;
