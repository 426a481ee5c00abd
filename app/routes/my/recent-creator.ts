import { id } from "../../../workers/contract/fields.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/recent-creator.ts";

/** Who the browser says was looked at last (routes/home/recent-creator.tsx): only their id is kept there. Null: no longer here. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const user_id = id.safeParse(url.searchParams.get("user_id")).data;
  const sent = user_id ? await context.get(v4Context).send(getUser, { query: { user_id } }) : null;
  if (!sent?.ok) return { creator: null };
  const { name, link_id, icon_image, bio } = sent.answer.user;
  return { creator: { name, link_id, icon_image, bio } };
}
