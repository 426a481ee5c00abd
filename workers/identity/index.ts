import { FIRST_OPERATOR_PATH } from "../contract/first-operator.ts";
import { DEPENDENCIES_PATH, FIGURES_PATH } from "../contract/health.ts";
import { OPERATOR_PATHS } from "../contract/operation.ts";
import { answerDependencies } from "../http/dependencies.ts";
import { answerRequest } from "../http/door.ts";
import { nameLogs } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";
import { nameRoute, request_meter } from "../kernel/request-log.ts";
import type { WorkerFigures } from "../kernel/request-meter.ts";
import { MEND_STEP, mendAfterJump } from "../storage/clock-jumps.ts";
import { clockGauges, runSteps } from "../storage/clock-runs.ts";
import { pingDatabase } from "../storage/ping.ts";
import { SIGN_IN_CHECK_PATH, SIGN_IN_STATE_PATH } from "../verifier/deployment.ts";
import { breachesOf, isDemo, servesProvider } from "./deployment.ts";
import { developer } from "./developer/routes.ts";
import { general } from "./general/routes.ts";
import { handOverMails } from "./mails/commands.ts";
import { firstOperator } from "./operator/first.ts";
import { operator } from "./operator/routes.ts";
import { provider } from "./provider/routes.ts";
import { openIdentity } from "./storage/database.ts";
import { mendMoments } from "./storage/moments.ts";
import { purgeRows } from "./storage/purge.ts";
import { rotateWhenDue } from "./storage/signing-keys.ts";
import { answerSignInCheck, answerSignInState, answerWatch, WATCH_PATH } from "./watch/routes.ts";
import { notifyOfMissedSignOuts } from "./watch/tell.ts";

export { SignOutWatch } from "./watch/sign-out-watch.ts";

nameLogs("identity");

/** Addresses that only other workers ask. */
const OWN_PATHS: ReadonlySet<string> = new Set([
  DEPENDENCIES_PATH,
  FIGURES_PATH,
  SIGN_IN_STATE_PATH,
  SIGN_IN_CHECK_PATH,
  WATCH_PATH,
]);

/**
 * The entry point of the identity worker: decides whether this deployment may serve at all, and which routes answer.
 */

export default {
  fetch: (request, env, context) =>
    answerRequest(request, (request_id) => routeRequest(request, request_id, env, context)),

  /**
   * Runs every minute: hands over mails that wait, deletes expired rows, creates the next signing key when due, and tells
   * open pages of sign-outs they missed.
   */
  async scheduled(controller, env): Promise<void> {
    if (breachesOf(env).length > 0) return;
    const identity = openIdentity(env, controller.scheduledTime);
    // A run may begin long after its scheduled time, and the run before may have ended meanwhile.
    const present = openIdentity(env, Date.now());
    const store = { d1: env.DB, database: present.db, now_ms: present.now_ms };
    const steps = {
      [MEND_STEP]: () => mendAfterJump(store, () => mendMoments(present)),
      ...(servesProvider(env) && { rotateSigningKeys: () => rotateWhenDue(identity) }),
      purgeExpired: () => purgeRows(identity),
      handOverMails: () => handOverMails(identity),
      notifyOfSignOuts: () => notifyOfMissedSignOuts(identity),
    };
    await runSteps(steps, store);
  },
} satisfies ExportedHandler<IdentityEnv>;

async function routeRequest(
  request: Request,
  request_id: string,
  env: IdentityEnv,
  context: ExecutionContext,
): Promise<Response> {
  const breaches = breachesOf(env);
  if (breaches.length > 0) throw new Error(`deployment refused: ${breaches.join("; ")}`);
  const { pathname } = new URL(request.url);
  if (OWN_PATHS.has(pathname)) nameRoute(request, pathname);
  if (pathname === DEPENDENCIES_PATH) {
    return answerDependencies({ database: () => pingDatabase(env.DB) });
  }
  if (pathname === FIGURES_PATH) {
    const runs = await openIdentity(env, Date.now()).db.selectFrom("clock_runs").selectAll().execute();
    const gauges = clockGauges("identity", runs);
    return Response.json({ requests: request_meter.read(), gauges } satisfies WorkerFigures);
  }
  if (pathname === SIGN_IN_STATE_PATH) return answerSignInState(request, env);
  if (pathname === SIGN_IN_CHECK_PATH) return answerSignInCheck(request, env);
  if (pathname === WATCH_PATH) return answerWatch(request, env);
  if (pathname.startsWith(FIRST_OPERATOR_PATH)) return firstOperator(request, request_id, env);
  if (pathname.startsWith(OPERATOR_PATHS)) return operator(request, request_id, env);
  // The web worker sends the plain spelling of `unsubscribeIdentity` to the API. No other spelling may come past it.
  if (pathname.startsWith("/v2/") && pathname.includes("%")) throw new Problem("not_found");
  if (pathname.startsWith("/v2/") || !servesProvider(env)) return general(request, request_id, env);
  const room = pathname.startsWith("/developer-idp/") && isDemo(env) ? developer : provider;
  return room.fetch(request, { ...env, request_id }, context);
}
