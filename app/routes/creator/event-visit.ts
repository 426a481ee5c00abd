import { data } from "react-router";
import { VISIT_REFERRER_LENGTH } from "../../../workers/contract/bounds.ts";
import { visitEvent } from "../../../workers/contract/events.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/event-visit.ts";

/** Counts a visit of a post. app/browser/page-shown.ts sends it and ignores the answer. */
export async function action({ request, url, params: { event_id }, context }: Route.ActionArgs) {
  const form = await request.formData();
  const visit_id = String(form.get("visit_id"));
  const sent = String(form.get("referrer") ?? "").slice(0, VISIT_REFERRER_LENGTH);
  const referrer = sent === url.host ? "" : sent;
  await context.get(v4Context).send(visitEvent, { params: { event_id }, query: { visit_id, referrer } });
  return new Response(null, { status: 204 });
}

/** Only POST counts a visit, so that crawlers and prefetching do not. */
export function loader() {
  throw data(null, { status: 404 });
}
