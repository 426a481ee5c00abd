import { getCustomToken } from "../../workers/contract/identity.ts";
import { edgeContext, viewerContext } from "../request/context.ts";
import { identityCalls } from "../session/identity-calls.ts";
import type { Route } from "./+types/session-state.ts";

/** What a page needs to watch the provider's document of its sign-in; the names are the configuration's of Firebase's SDK. */
export interface WatchedDocument {
  apiKey: string;
  projectId: string;
  /** Signs the SDK in: the document is its person's alone to read. */
  token: string;
  path: string;
}

/**
 * `GET /session/state.json`, asked by a page that no longer knows whether it is signed in: 204, its session renewed on the way
 * where that was due; 401 when there is none any more. `?watch=1` besides tells what to watch, where a document is.
 */
export async function loader({ request, context }: Route.LoaderArgs): Promise<Response> {
  const viewer = context.get(viewerContext);
  if (!viewer) return new Response(null, { status: 401 });
  const { watched_project } = context.get(edgeContext);
  const { id, keyForGlobalSignOut: key } = viewer.session;
  if (!new URL(request.url).searchParams.has("watch") || !watched_project || !key) {
    return new Response(null, { status: 204 });
  }
  const sent = await identityCalls(context, viewer.session).send(getCustomToken, {});
  if (!sent.ok) return new Response(null, { status: 503 });
  const path = `users/${id}/keys_for_global_sign_out/${key}`;
  return Response.json({ ...watched_project, token: sent.answer.token, path } satisfies WatchedDocument);
}
