import { data } from "react-router";
import { getOverlay, updateLiveHeartbeat } from "../../../workers/contract/streaming.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/news.ts";
import { readOverlay } from "./read-overlay.ts";

/** The news of an overlay after a number, for an overlay whose events do not come through. */
export async function loader({ url, params: { overlay_token }, context }: Route.LoaderArgs) {
  const query = getOverlay.query.safeParse({ after: url.searchParams.get("after") ?? undefined });
  if (!query.success) throw data(null, { status: 404 });
  const { settings: _, ...news } = await readOverlay(context, overlay_token, query.data.after);
  return Response.json(news, { headers: { "referrer-policy": "no-referrer" } });
}

/** Notes that an overlay is open. */
export async function action({ request, params: { overlay_token }, context }: Route.ActionArgs) {
  const query = updateLiveHeartbeat.query.safeParse({ id: (await request.formData()).get("id"), token: overlay_token });
  if (!query.success) throw data(null, { status: 404 });
  const sent = await context.get(v4Context).asVisitor().send(updateLiveHeartbeat, { query: query.data });
  return new Response(null, { status: sent.ok ? 204 : sent.refusal.status });
}
