import { data, redirect } from "react-router";
import { reactInChat } from "../../../workers/contract/radio-chat.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import { v4OfRadio } from "../../session/radio-keys.ts";
import { stayOnPage } from "../../v4/stay-on-page.ts";
import type { Route } from "./+types/chat-reaction.ts";
import { chatPlace } from "./chat-place.ts";
import { isRefused, refuseForm } from "./form-address.ts";
import { FormRefused } from "./form-refused.tsx";
import { radioPath } from "./radio-path.ts";

/** This address only accepts forms. A GET redirects to the chat. */
export const loader = ({ params, context }: Route.LoaderArgs) =>
  isRefused(context, params) ? null : redirect(radioPath(params, 1, "chat"));

export async function action({ request, params, context }: Route.ActionArgs) {
  const form = await request.formData();
  const body = reactInChat.body.safeParse({ emoji: form.get("emoji") });
  if (!body.success) throw data(null, { status: 400 });
  const { radio_id } = params;
  const back = chatPlace(form, params);
  if (!context.get(viewerContext)) return redirect(loginPath(back), 303);
  const sent = await v4OfRadio(context, radio_id).send(reactInChat, { params: { radio_id }, body: body.data });
  return sent.ok ? redirect(back, 303) : refuseForm(context, sent.refusal, back);
}

export const clientAction = ({ serverAction }: Route.ClientActionArgs) => stayOnPage(serverAction);

export default function ReactionRefused({ actionData, params }: Route.ComponentProps) {
  return (
    <FormRefused error={actionData?.error} back={radioPath(params, 1, "chat")}>
      チャットへ戻る
    </FormRefused>
  );
}
