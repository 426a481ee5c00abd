import { data } from "react-router";
import { getEvent } from "../../../workers/contract/events.ts";
import { id } from "../../../workers/contract/fields.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/event-likeness.ts";

/**
 * The blurred likeness of a post's cover, which anybody may see. Lists name it instead of carrying it: twenty of them would be as heavy
 * as all the rest of the page.
 */
export async function loader({ params: { link_id, event_id }, context }: Route.LoaderArgs) {
  if (!id.safeParse(event_id).success) throw data(null, { status: 404 });
  const { event } = await context.get(v4Context).asVisitor().read(getEvent, { params: { event_id }, query: {} });
  // A copy is as old as the pages of the creator it is named after: under somebody else's name it would outlive the post.
  if (event.user.link_id !== link_id) throw data(null, { status: 404 });
  const [, type, base64] =
    /^data:(image\/(?:png|webp|avif|jpeg));base64,([\w+/=]+)$/.exec(event.placeholder ?? "") ?? [];
  if (!type || !base64) throw data(null, { status: 404 });
  return new Response(
    Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)),
    { headers: { "content-type": type } },
  );
}
