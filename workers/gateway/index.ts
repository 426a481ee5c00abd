import { answerRequest } from "../http/door.ts";
import { nameLogs } from "../kernel/log.ts";
import { nameRoute } from "../kernel/request-log.ts";
import { answerApi } from "./api.ts";
import { purgeRows, runDue } from "./clock/advance.ts";
import { mayServe } from "./deployment.ts";
import { pages } from "./pages/routes.ts";
import { dispatchDue } from "./webhooks/dispatch.ts";

nameLogs("gateway");

/**
 * The embedded payment gateway: speaks Stripe's API below `/v1/` and shows hosted pages below `/payment-gateway/`. Only a
 * demo on one machine has it, and no money moves.
 */
export default {
  fetch: (request, env, context) =>
    answerRequest(request, async (request_id) => {
      if (!mayServe(env)) throw new Error("deployment refused: the embedded payment gateway is only for a demo");
      const { pathname } = new URL(request.url);
      const is_api = pathname.startsWith("/v1/");
      nameRoute(request, is_api ? "/v1/*" : "/payment-gateway/*");
      const response = is_api ? await answerApi(request, env) : await pages.fetch(request, { ...env, request_id });
      if (request.method !== "GET") context.waitUntil(dispatchDue(env));
      return response;
    }),

  /** Runs every minute: does what is due, and delivers webhooks that failed or are late. */
  async scheduled(_controller, env): Promise<void> {
    if (!mayServe(env)) return;
    await runDue(env);
    await dispatchDue(env);
    await purgeRows(env);
  },
} satisfies ExportedHandler<GatewayEnv>;
