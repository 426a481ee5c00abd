import { data, type MiddlewareFunction, redirectDocument } from "react-router";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import { retryAfterSeconds } from "../../workers/contract/maintenance-status.ts";
import { edgeContext, maintenanceContext, retryAfterContext } from "../request/context.ts";
import { viewerContext } from "../session/context.ts";
import type { Failure } from "../v4/failure.ts";
import { isTakenUnderMaintenance } from "./open-pages.ts";

/**
 * Answers the requests of pages that members have open when maintenance begins. A navigation reloads the document,
 * which is then the maintenance view. A form is refused, and its page keeps the text. The worker has already replaced
 * requests for closed documents.
 */
export const maintenanceMiddleware: MiddlewareFunction<Response> = async ({ request, url, context }, next) => {
  const { status, ...record } = context.get(maintenanceContext);
  const is_document = !new URL(request.url).pathname.endsWith(".data");
  // Under maintenance only operators on their own pages are signed in.
  if (status !== "UNDER_MAINTENANCE" || is_document || context.get(viewerContext)) return next();
  if (request.method === "GET") throw redirectDocument(url.pathname + url.search);
  if (isTakenUnderMaintenance(url.pathname)) return next();
  context.set(retryAfterContext, retryAfterSeconds(record, Date.now()));
  const { request_id } = context.get(edgeContext);
  const { detail } = errorCatalogue.under_maintenance;
  const failure: Failure = { code: "under_maintenance", detail, request_id };
  throw data(failure, { status: 503 });
};
