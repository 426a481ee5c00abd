import { OVERLAY_PATH } from "../contract/overlay-names.ts";
import { URL_KEY_HEADER } from "../contract/radios.ts";
import { API_ORIGIN } from "./edge.ts";
import type { Incoming } from "./incoming.ts";
import { answerUnavailable, forwardTo } from "./services.ts";

const PATH = new RegExp(`^${OVERLAY_PATH}([\\w-]{22})/events$`);

/** Returns the token in the address of an overlay's events; null for any other path. */
export const overlayTokenOf = (pathname: string): string | null => PATH.exec(pathname)?.[1] ?? null;

/**
 * Opens the server-sent events of an overlay. The script of an overlay cannot send a header, so its address has the
 * token; from here on a header has it.
 */
export async function openOverlayStream(incoming: Incoming, token: string): Promise<Response> {
  const { request, env, request_id } = incoming;
  // A remote product API offers no events. The overlay then asks for news again and again.
  if (env.V4_ORIGIN !== "") return answerUnavailable("unavailable", request_id, { "cache-control": "no-store" });
  const headers = new Headers({ [URL_KEY_HEADER]: token });
  const last_event_id = request.headers.get("last-event-id");
  if (last_event_id !== null) headers.set("last-event-id", last_event_id);
  const asked = new Request(`${API_ORIGIN}/overlay-stream${new URL(request.url).search}`, { headers });
  return forwardTo(env.API, { ...incoming, request: asked as Incoming["request"] });
}
