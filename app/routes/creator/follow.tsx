import { data, redirect } from "react-router";
import * as z from "zod";
import { follow, unfollow } from "../../../workers/contract/relationships.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { signInToContinue } from "../../forms/intent.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { loginPath, safeTo } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import { closeSession } from "../../session/current-session.ts";
import type { Refusal } from "../../v4/client.ts";
import { stayOnPage } from "../../v4/stay-on-page.ts";
import type { Route } from "./+types/follow.ts";
import { isRefused, refuseForm } from "./form-address.ts";
import { FormRefused } from "./form-refused.tsx";

const operationField = z.enum(["follow", "unfollow"]);

/** This address only accepts forms. A GET redirects to the person's page. */
export const loader = ({ params, context }: Route.LoaderArgs) =>
  isRefused(context, params) ? null : redirect(`/${params.link_id}`);

export async function action({ request, params, context }: Route.ActionArgs) {
  const form = await request.formData();
  const v4 = context.get(v4Context);
  const to = safeTo(form.get("to"), `/${params.link_id}`);
  const operation = operationField.safeParse(form.get("operation"));
  if (!operation.success) throw data(null, { status: 400 });
  const refuse = (refusal: Refusal) => refuseForm(context, refusal, to);
  const found = await v4.send(getUser, { query: { link_id: params.link_id } });
  if (!found.ok) return refuse(found.refusal);
  const following_id = found.answer.user.user_id;
  const idempotency_key = String(form.get("idempotency_key") || crypto.randomUUID());

  if (context.get(viewerContext)) {
    const sent =
      operation.data === "follow"
        ? await v4.send(follow, { body: { following_id }, idempotency_key })
        : await v4.send(unfollow, { query: { following_id }, idempotency_key });
    if (sent.ok) {
      setFlash(context, operation.data === "follow" ? "followed" : "unfollowed");
      return redirect(to, 303);
    }
    if (!sent.refusal.needs_sign_in) return refuse(sent.refusal);
    closeSession(context);
  }
  // Only following is resumed after the sign-in. A visitor follows nobody, so there is nothing to unfollow.
  if (operation.data === "unfollow") return redirect(loginPath(to), 303);
  const continued = await signInToContinue(context, to, { kind: "follow", following_id });
  return continued instanceof Response ? continued : redirect(loginPath(to), 303);
}

export const clientAction = ({ serverAction }: Route.ClientActionArgs) => stayOnPage(serverAction);

export default function FollowRefused({ actionData, params }: Route.ComponentProps) {
  return (
    <FormRefused error={actionData?.error} back={`/${params.link_id}`}>
      ページへ戻る
    </FormRefused>
  );
}
