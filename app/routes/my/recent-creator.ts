import { id } from "../../../workers/contract/fields.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/recent-creator.ts";

/**
 * Loads the creator that this member viewed last (routes/home/recent-creator.tsx). The browser stores only the id.
 * Returns null if that creator is gone.
 */
export async function loader({ url, context }: Route.LoaderArgs) {
  const user_id = id.safeParse(url.searchParams.get("user_id")).data;
  const sent = user_id ? await context.get(v4Context).send(getUser, { query: { user_id } }) : null;
  if (!sent?.ok) return { creator: null };
  const { name, link_id, icon_image, bio } = sent.answer.user;
  return { creator: { name, link_id, icon_image, bio } };
}
