import { data } from "react-router";
import { visitEvent } from "../../../workers/contract/events.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/event-visit.ts";

/** What a browser tells of a post it shows (app/browser/page-shown.ts). It waits for no answer, and is told nothing. */
export async function action({ request, params: { event_id }, context }: Route.ActionArgs) {
  const visit_id = String((await request.formData()).get("visit_id"));
  await context.get(v4Context).send(visitEvent, { params: { event_id }, query: { visit_id } });
  return new Response(null, { status: 204 });
}

/** The address only takes what browsers tell: no crawler and no prefetching comes here by a link. */
export function loader() {
  throw data(null, { status: 404 });
}
