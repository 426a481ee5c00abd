import { data } from "react-router";
import { getEvent } from "../../../workers/contract/events.ts";
import { id } from "../../../workers/contract/fields.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/event-likeness.ts";

/**
 * Serves the blurred likeness of a post's cover, which everybody may see, also of a locked post. Lists link to it
 * because twenty inlined likenesses would weigh as much as the rest of the page.
 */
export async function loader({ params: { link_id, event_id }, context }: Route.LoaderArgs) {
  if (!id.safeParse(event_id).success) throw data(null, { status: 404 });
  const { event } = await context.get(v4Context).asVisitor().read(getEvent, { params: { event_id }, query: {} });
  // The edge purges this copy with the pages of the creator in its path. Under another creator's name it would outlive
  // the post.
  if (event.user.link_id !== link_id) throw data(null, { status: 404 });
  const [, type, base64] =
    /^data:(image\/(?:png|webp|avif|jpeg));base64,([\w+/=]+)$/.exec(event.placeholder ?? "") ?? [];
  if (!type || !base64) throw data(null, { status: 404 });
  return new Response(
    Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)),
    { headers: { "content-type": type } },
  );
}
