import { redirect } from "react-router";
import { follow, unfollow } from "../../../workers/contract/relationships.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { v4Context, viewerContext } from "../../middleware/context.ts";
import { setFlash } from "../../session/flash.ts";
import { signInToContinue } from "../../session/intent.ts";
import { closeSession } from "../../session/sign-in.ts";
import type { Route } from "./+types/follow.ts";

/** The address only takes forms; whoever opens it wants the creator's page. */
export const loader = ({ params }: Route.LoaderArgs) => redirect(`/${params.link_id}`);

export async function action({ request, params, context }: Route.ActionArgs) {
  const form = await request.formData();
  const v4 = context.get(v4Context);
  const page = `/${params.link_id}`;
  const { user } = await v4.read(getUser, { query: { link_id: params.link_id } });
  const following_id = user.user_id;
  const wantsFollow = form.get("operation") === "follow";
  const idempotency_key = String(form.get("idempotency_key") ?? crypto.randomUUID());

  let needs_sign_in = context.get(viewerContext) === null;
  if (!needs_sign_in) {
    const sent = wantsFollow
      ? await v4.send(follow, { body: { following_id }, idempotency_key })
      : await v4.send(unfollow, { query: { following_id }, idempotency_key });
    if (sent.ok) {
      setFlash(context, wantsFollow ? "followed" : "unfollowed");
      return redirect(page, 303);
    }
    if (!sent.refusal.needs_sign_in) throw v4.failure(sent.refusal);
    closeSession(context);
    needs_sign_in = true;
  }
  // Only following is carried over a sign-in: a visitor follows nobody yet, so there is nothing to undo.
  const continued = wantsFollow ? await signInToContinue(context, page, { kind: "follow", following_id }) : null;
  return continued ?? redirect(`/login?${new URLSearchParams({ to: page })}`, 303);
}
