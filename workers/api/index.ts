import { plannedOperations } from "../contract/index.ts";
import { systemClock } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import { deploymentBreaches, isEmbedded } from "../verifier/deployment.ts";
import { activityRoutes } from "./activities/routes.ts";
import { blockRoutes } from "./blocks/routes.ts";
import { categoryRoutes } from "./categories/routes.ts";
import { commentRoutes } from "./comments/routes.ts";
import { isDocs, serveDocs } from "./docs/routes.ts";
import { edgeRoutes } from "./edge/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { problemAnswer } from "./http/answer.ts";
import { createApp } from "./http/app.ts";
import { plannedEndpoint } from "./http/endpoint.ts";
import type { Services } from "./http/request-context.ts";
import { intentRoutes } from "./intents/routes.ts";
import { likeRoutes } from "./likes/routes.ts";
import { maintenanceRoutes } from "./maintenance/routes.ts";
import { membershipRoutes } from "./memberships/routes.ts";
import { newsletterRoutes } from "./newsletters/routes.ts";
import { notify } from "./notifications/reactions.ts";
import { notificationRoutes } from "./notifications/routes.ts";
import { ofuseRoutes } from "./ofuses/routes.ts";
import { reactionRoutes } from "./reactions/routes.ts";
import { referenceRoutes } from "./references/routes.ts";
import { relationshipRoutes } from "./relationships/routes.ts";
import { reportRoutes } from "./reports/routes.ts";
import { continueRebuild } from "./search/commands.ts";
import { indexChanges } from "./search/reactions.ts";
import { searchRoutes } from "./search/routes.ts";
import { statsRoutes } from "./stats/routes.ts";
import { openDatabase } from "./storage/database.ts";
import { dispatchOutbox } from "./storage/outbox.ts";
import { purgeExpired } from "./storage/retention.ts";
import { openSearchDatabase } from "./storage/search-database.ts";
import { serveMedia } from "./uploads/routes.ts";
import { userRoutes } from "./users/routes.ts";

/** Everything the product API answers; a test asks for every operation of the contract. */
const endpoints = [
  ...userRoutes,
  ...eventRoutes,
  ...commentRoutes,
  ...likeRoutes,
  ...categoryRoutes,
  ...membershipRoutes,
  ...relationshipRoutes,
  ...activityRoutes,
  ...blockRoutes,
  ...reportRoutes,
  ...reactionRoutes,
  ...ofuseRoutes,
  ...notificationRoutes,
  ...newsletterRoutes,
  ...referenceRoutes,
  ...searchRoutes,
  ...intentRoutes,
  ...statsRoutes,
  ...maintenanceRoutes,
  ...edgeRoutes,
];

const app = createApp([...endpoints, ...plannedOperations.map(plannedEndpoint)]);

/** Of a rebuild of the search index, how many creators are taken at once, and for how long in one run of the clock. */
const REBUILT_AT_ONCE = 200;
const REBUILD_MS = 15_000;

/**
 * Made for each request: Kysely lets one query at a time take its connection, and a request that is given up while it has
 * it would keep it for ever. No request may wait for what belongs to another.
 */
function servicesOf(env: ApiEnv): Services {
  return {
    database: openDatabase(env.DB),
    d1: env.DB,
    search: openSearchDatabase(env.SEARCH),
    media: env.MEDIA,
    media_key: env.MEDIA_KEY,
    clock: systemClock,
  };
}

function dispatch(env: ApiEnv, outbox_ids?: string[]): Promise<void> {
  const { database, d1, search, clock } = servicesOf(env);
  const reactions = [notify, indexChanges(search)];
  return dispatchOutbox({ database, d1, now_ms: clock.now(), reactions }, outbox_ids);
}

/** Goes on with a rebuild of the search index, if one is under way; the next run of the clock takes it from there. */
async function rebuildForAWhile(env: ApiEnv): Promise<void> {
  const began_at = Date.now();
  const projection = servicesOf(env);
  while ((await continueRebuild(projection, REBUILT_AT_ONCE)) && Math.abs(Date.now() - began_at) < REBUILD_MS);
}

/** A worker that is not fit to serve serves nothing: see workers/verifier/deployment.ts. */
function breachesOf(env: ApiEnv): string[] {
  return deploymentBreaches({
    environment: env.ENVIRONMENT,
    project_id: env.PROJECT_ID,
    jwks_url: env.JWKS_URL,
    has_embedded_provider: isEmbedded(env.JWKS_URL),
    secrets: { MEDIA_KEY: env.MEDIA_KEY },
  });
}

export default {
  async fetch(request, env, execution) {
    const breaches = breachesOf(env);
    if (breaches.length > 0) return problemAnswer(new Error(breaches.join("; ")), newId(Date.now()));
    const services = servicesOf(env);
    const url = new URL(request.url);
    try {
      if (url.pathname.startsWith("/media/")) return await serveMedia(request, services, newId(Date.now()));
      if (isDocs(url.pathname)) return await serveDocs(request, newId(Date.now()));
      return await app.fetch(
        request,
        {
          door: {
            services,
            verifier: {
              project_id: env.PROJECT_ID,
              jwks_url: env.JWKS_URL,
              fetch: (input, init) => (isEmbedded(input) ? env.IDENTITY.fetch(input, init) : fetch(input, init)),
            },
            announce: (outbox_ids) => execution.waitUntil(dispatch(env, outbox_ids)),
          },
        },
        execution,
      );
    } catch (error) {
      return problemAnswer(error, newId(Date.now()));
    }
  },

  async scheduled(_controller, env) {
    await dispatch(env);
    await purgeExpired(env.DB, openDatabase(env.DB), Date.now());
    await rebuildForAWhile(env);
  },
} satisfies ExportedHandler<ApiEnv>;
