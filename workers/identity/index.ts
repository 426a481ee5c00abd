import { OPERATOR_PATHS } from "../contract/operation.ts";
import { SIGN_IN_STATE_PATH } from "../verifier/deployment.ts";
import { breachesOf, isDemo, servesProvider } from "./deployment.ts";
import { developer } from "./developer/routes.ts";
import { general } from "./general/routes.ts";
import { logUnexpected } from "./log.ts";
import { operator } from "./operator/routes.ts";
import { problemResponse } from "./problem-response.ts";
import { provider } from "./provider/routes.ts";
import { openIdentity } from "./storage/database.ts";
import { purge } from "./storage/purge.ts";
import { rotateWhenDue } from "./storage/signing-keys.ts";
import { answerSignInState, answerWatch, WATCH_PATH } from "./watch/routes.ts";
import { tellOfLateEnds } from "./watch/tell.ts";

export { SignOutWatch } from "./watch/sign-out-watch.ts";

/** The front door of accounts and tokens: who may be served at all, and which room answers. */

const REQUEST_ID = /^[\w-]{8,64}$/;

export default {
  async fetch(request, env, context): Promise<Response> {
    const given = request.headers.get("x-request-id") ?? "";
    const request_id = REQUEST_ID.test(given) ? given : crypto.randomUUID();
    const headers = new Headers(request.headers);
    headers.set("x-request-id", request_id);
    const answer = await answerFrom(new Request(request, { headers }), env, context, request_id);

    // It is a connection from here on, and no answer any more.
    if (answer.webSocket) return answer;
    const response = new Response(answer.body, answer);
    response.headers.set("x-request-id", request_id);
    response.headers.set("x-content-type-options", "nosniff");
    if (!response.headers.has("cache-control")) response.headers.set("cache-control", "private, no-store");
    return response;
  },

  /** Every minute: forgets what is over, makes the next signing key when it is due, tells pages what nobody told them. */
  async scheduled(controller, env): Promise<void> {
    if (breachesOf(env).length > 0) return;
    const identity = openIdentity(env, controller.scheduledTime);
    try {
      if (servesProvider(env)) await rotateWhenDue(identity);
      await purge(identity);
      await tellOfLateEnds(identity);
    } catch (error) {
      logUnexpected(error, `scheduled-${controller.scheduledTime}`);
      throw error;
    }
  },
} satisfies ExportedHandler<IdentityEnv>;

async function answerFrom(
  request: Request,
  env: IdentityEnv,
  context: ExecutionContext,
  request_id: string,
): Promise<Response> {
  const breaches = breachesOf(env);
  if (breaches.length > 0) {
    console.error(JSON.stringify({ level: "error", request_id, message: "deployment refused", breaches }));
    return problemResponse("internal_error", request_id);
  }
  const { pathname } = new URL(request.url);
  if (pathname === SIGN_IN_STATE_PATH) return answerSignInState(request, env, request_id);
  if (pathname === WATCH_PATH) return answerWatch(request, env, request_id);
  if (pathname.startsWith(OPERATOR_PATHS)) return operator.fetch(request, env, context);
  if (pathname.startsWith("/v2/") || !servesProvider(env)) return general.fetch(request, env, context);
  if (pathname.startsWith("/developer-idp/") && isDemo(env)) return developer.fetch(request, env, context);
  return provider.fetch(request, env, context);
}
