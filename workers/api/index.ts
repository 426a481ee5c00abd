import { plannedOperations } from "../contract/index.ts";
import { answerRequest } from "../http/door.ts";
import { systemClock } from "../kernel/clock.ts";
import { Problem } from "../kernel/problem.ts";
import { deploymentBreaches, isEmbedded } from "../verifier/deployment.ts";
import type { VerifierSettings } from "../verifier/index.ts";
import { findReadableEvent } from "./comments/queries.ts";
import { isDocs, serveDocs } from "./docs/routes.ts";
import { registry } from "./domains.ts";
import { createApp } from "./http/app.ts";
import { authenticate } from "./http/authenticate.ts";
import { plannedEndpoint } from "./http/endpoint.ts";
import type { Services } from "./http/request-context.ts";
import { signInsOf } from "./http/sign-in-state.ts";
import { openDatabase } from "./storage/database.ts";
import { type Dispatcher, dispatchOutbox, dispatchUntried } from "./storage/outbox.ts";
import { purgeExpired } from "./storage/retention.ts";
import { openSearchDatabase } from "./storage/search-database.ts";
import { type Asker, serveMedia } from "./uploads/routes.ts";
import { SIGNED_URL_MS } from "./uploads/rules.ts";

const app = createApp([...registry.endpoints, ...plannedOperations.map(plannedEndpoint)]);

/** Time limit of one run of the clock for rows that dispatching writes: to tell 100,000 followers of a post. */
const DISPATCH_MS = 20_000;

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
    pictures: env.PICTURES,
    media_key: env.MEDIA_KEY,
    clock: systemClock,
  };
}

const verifierOf = (env: ApiEnv): VerifierSettings => ({
  project_id: env.PROJECT_ID,
  jwks_url: env.JWKS_URL,
  fetch: (input, init) => (isEmbedded(input) ? env.IDENTITY.fetch(input, init) : fetch(input, init)),
});

function dispatcherOf(env: ApiEnv): Dispatcher {
  const { database, d1, search, clock } = servicesOf(env);
  const { reactions, kinds_of_triggers } = registry;
  return { database, d1, search, now_ms: clock.now(), reactions, kinds_of_triggers };
}

async function dispatchForAWhile(env: ApiEnv): Promise<void> {
  const began_at = Date.now();
  await dispatchOutbox(dispatcherOf(env));
  while ((await dispatchUntried(dispatcherOf(env))) && Math.abs(Date.now() - began_at) < DISPATCH_MS);
}

/**
 * Who asks for a picture. A page's addresses are good for an hour and so may outlive the token the page was made with: the picture is
 * given to the person all the same. Who cannot be told is nobody: a page is no place to say that a token is no good.
 */
function askerOf(request: Request, services: Services, verifier: VerifierSettings): Asker {
  const { database, d1, search, media_key, clock } = services;
  return {
    async callerOf() {
      try {
        return await authenticate("optional", request, { ...verifier, tolerance_s: SIGNED_URL_MS / 1000 }, database);
      } catch (error) {
        if (error instanceof Problem && error.code !== "unavailable") return null;
        throw error;
      }
    },
    async isEventReadable(caller, event_id) {
      const asked = { database, d1, search, media_key, now_ms: clock.now(), caller };
      const context = { ...asked, request_id: "", address_hash: null, idempotency: null, announce: () => {} };
      return (await findReadableEvent(context, event_id)) !== null;
    },
  };
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

async function answer(
  request: Request,
  request_id: string,
  env: ApiEnv,
  execution: ExecutionContext,
): Promise<Response> {
  const breaches = breachesOf(env);
  if (breaches.length > 0) throw new Error(breaches.join("; "));
  const services = servicesOf(env);
  const { pathname } = new URL(request.url);
  if (pathname.startsWith("/media/")) {
    return serveMedia(request, services, askerOf(request, services, verifierOf(env)));
  }
  if (isDocs(pathname)) return serveDocs(request);
  return app(request, request_id, {
    services,
    verifier: verifierOf(env),
    signIns: (id) => signInsOf(env.IDENTITY, id),
    announce: (outbox_ids) => execution.waitUntil(dispatchOutbox(dispatcherOf(env), outbox_ids)),
    operator_access: { key: env.OPERATOR_KEY, identity: env.IDENTITY },
  });
}

export default {
  fetch: (request, env, execution) =>
    answerRequest(request, (request_id) => answer(request, request_id, env, execution)),

  async scheduled(_controller, env) {
    const services = servicesOf(env);
    const { d1, database, clock } = services;
    const steps = [
      ...registry.due,
      () => dispatchForAWhile(env),
      () => purgeExpired(d1, database, clock.now(), registry.expiries),
      ...registry.upkeep,
    ];
    // A failing step does not delay the others.
    const failures: unknown[] = [];
    for (const step of steps) await step(services).catch((error) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, failures.join("; "));
  },
} satisfies ExportedHandler<ApiEnv>;
