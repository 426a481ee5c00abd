import { data, redirect } from "react-router";
import * as z from "zod";
import { id } from "../../../workers/contract/fields.ts";
import {
  deleteChatMessage,
  pinChatMessage,
  restrictRadioChat,
  unpinChatMessage,
  unrestrictRadioChat,
} from "../../../workers/contract/radio-chat.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import { stayOnPage } from "../../v4/stay-on-page.ts";
import type { Route } from "./+types/chat-message.ts";
import { chatPlace } from "./chat-place.ts";
import { isRefused, refuseForm } from "./form-address.ts";
import { FormRefused } from "./form-refused.tsx";
import { radioPath } from "./radio-path.ts";

/** This address only accepts forms. A GET redirects to the chat. */
export const loader = ({ params, context }: Route.LoaderArgs) =>
  isRefused(context, params) ? null : redirect(radioPath(params, 1, "chat"));

const fields = z.union([
  z.object({ operation: z.enum(["delete", "pin", "unpin"]) }),
  z.object({ operation: z.enum(["restrict", "unrestrict"]), user_id: id }),
]);

export async function action({ request, params, context }: Route.ActionArgs) {
  const sent_form = await request.formData();
  const form = fields.safeParse(Object.fromEntries(sent_form));
  if (!form.success) throw data(null, { status: 400 });
  const { operation } = form.data;
  const { radio_id, message_id } = params;
  const back = chatPlace(sent_form, params);
  if (!context.get(viewerContext)) return redirect(loginPath(back), 303);
  const v4 = context.get(v4Context);
  const of_message = { params: { radio_id, message_id } };
  const acts = {
    delete: () => v4.send(deleteChatMessage, of_message),
    pin: () => v4.send(pinChatMessage, of_message),
    unpin: () => v4.send(unpinChatMessage, of_message),
  };
  const given = form.data;
  const sendAct = () => {
    if (!("user_id" in given)) return acts[given.operation]();
    const of_person = { params: { user_id: given.user_id } };
    return given.operation === "restrict"
      ? v4.send(restrictRadioChat, of_person)
      : v4.send(unrestrictRadioChat, of_person);
  };
  const sent = await sendAct();
  if (!sent.ok) return refuseForm(context, sent.refusal, back);
  if (operation === "delete") setFlash(context, "chat_message_deleted");
  if (operation === "restrict") setFlash(context, "chat_restricted");
  if (operation === "unrestrict") setFlash(context, "chat_unrestricted");
  return redirect(back, 303);
}

export const clientAction = ({ serverAction }: Route.ClientActionArgs) => stayOnPage(serverAction);

export default function ChatMessageUnchanged({ actionData, params }: Route.ComponentProps) {
  return (
    <FormRefused error={actionData?.error} back={radioPath(params, 1, "chat")}>
      チャットへ戻る
    </FormRefused>
  );
}
