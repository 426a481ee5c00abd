import { plannedOperations } from "../contract/index.ts";
import { systemClock } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import { deploymentBreaches, isEmbedded } from "../verifier/deployment.ts";
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
import { maintenanceRoutes } from "./maintenance/routes.ts";
import { membershipRoutes } from "./memberships/routes.ts";
import { newsletterRoutes } from "./newsletters/routes.ts";
import { notify } from "./notifications/reactions.ts";
import { notificationRoutes } from "./notifications/routes.ts";
import { ofuseRoutes } from "./ofuses/routes.ts";
import { referenceRoutes } from "./references/routes.ts";
import { relationshipRoutes } from "./relationships/routes.ts";
import { openDatabase } from "./storage/database.ts";
import { dispatchOutbox } from "./storage/outbox.ts";
import { purgeExpired } from "./storage/retention.ts";
import { serveMedia } from "./uploads/routes.ts";
import { userRoutes } from "./users/routes.ts";

/** Everything the product API answers; a test asks for every operation of the contract. */
const endpoints = [
  ...userRoutes,
  ...eventRoutes,
  ...commentRoutes,
  ...categoryRoutes,
  ...membershipRoutes,
  ...relationshipRoutes,
  ...ofuseRoutes,
  ...notificationRoutes,
  ...newsletterRoutes,
  ...referenceRoutes,
  ...intentRoutes,
  ...maintenanceRoutes,
  ...edgeRoutes,
];

const app = createApp([...endpoints, ...plannedOperations.map(plannedEndpoint)]);
const reactions = [notify];

/**
 * Made for each request: Kysely lets one query at a time take its connection, and a request that is given up while it has
 * it would keep it for ever. No request may wait for what belongs to another.
 */
function servicesOf(env: ApiEnv): Services {
  return { database: openDatabase(env.DB), d1: env.DB, media: env.MEDIA, media_key: env.MEDIA_KEY, clock: systemClock };
}

function dispatch(env: ApiEnv, outbox_ids?: string[]): Promise<void> {
  const { database, d1, clock } = servicesOf(env);
  return dispatchOutbox({ database, d1, now_ms: clock.now(), reactions }, outbox_ids);
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
  },
} satisfies ExportedHandler<ApiEnv>;
