import { getCustomToken } from "../../workers/contract/identity.ts";
import type { WatchedDocument } from "../../workers/contract/sign-out-watch.ts";
import { identityContext, viewerContext } from "../session/context.ts";
import { identityCalls } from "../session/identity-calls.ts";
import type { Route } from "./+types/session-state.ts";

/**
 * `GET /session/state.json`. A page calls it when it does not know whether its session is still valid. Answers 204,
 * after renewing the session if it was due, or 401 without a session. With `?watch=1`, answers which document to watch
 * in deployments with Firestore.
 */
export async function loader({ request, context }: Route.LoaderArgs): Promise<Response> {
  const viewer = context.get(viewerContext);
  if (!viewer) return new Response(null, { status: 401 });
  const { watched_project } = context.get(identityContext);
  const { id, keyForGlobalSignOut: key } = viewer.session;
  if (!new URL(request.url).searchParams.has("watch") || !watched_project || !key) {
    return new Response(null, { status: 204 });
  }
  const sent = await identityCalls(context, viewer.session).send(getCustomToken, {});
  if (!sent.ok) return new Response(null, { status: 503 });
  const path = `users/${id}/keys_for_global_sign_out/${key}`;
  return Response.json({ ...watched_project, token: sent.answer.token, path } satisfies WatchedDocument);
}
