import { data } from "react-router";
import { visitEvent } from "../../../workers/contract/events.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/event-visit.ts";

/** Counts a visit of a post. app/browser/page-shown.ts sends it and ignores the answer. */
export async function action({ request, params: { event_id }, context }: Route.ActionArgs) {
  const visit_id = String((await request.formData()).get("visit_id"));
  await context.get(v4Context).send(visitEvent, { params: { event_id }, query: { visit_id } });
  return new Response(null, { status: 204 });
}

/** Only POST counts a visit, so that crawlers and prefetching do not. */
export function loader() {
  throw data(null, { status: 404 });
}
