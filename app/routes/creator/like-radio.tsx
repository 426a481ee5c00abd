import { redirect } from "react-router";
import { likeRadioComment, likeRadioRecording } from "../../../workers/contract/radios.ts";
import { v4OfRadio } from "../../session/radio-keys.ts";
import { stayOnPage } from "../../v4/stay-on-page.ts";
import type { Route } from "./+types/like-radio.ts";
import { ACTIONS_ANCHOR, commentAnchor } from "./event-path.ts";
import { isRefused } from "./form-address.ts";
import { FormRefused } from "./form-refused.tsx";
import { radioPath } from "./radio-path.ts";
import { handleLike } from "./send-like.ts";

/** This address only accepts forms. A GET redirects to the radio. */
export const loader = ({ params: { link_id, radio_id }, context }: Route.LoaderArgs) =>
  isRefused(context, { link_id, radio_id }) ? null : redirect(radioPath({ link_id, radio_id }));

/** Likes or unlikes the recording of a radio, or a comment on it. */
export function action({ request, url, params, context }: Route.ActionArgs) {
  const { radio_id, comment_id } = params as { radio_id: string; comment_id?: string };
  return handleLike(request, url, context, {
    send: (body) => {
      const v4 = v4OfRadio(context, radio_id);
      return comment_id
        ? v4.send(likeRadioComment, { params: { radio_id, comment_id }, body })
        : v4.send(likeRadioRecording, { params: { radio_id }, body });
    },
    pathTo: (page, id) => radioPath(params, page, id),
    anchor: comment_id ? commentAnchor(comment_id) : ACTIONS_ANCHOR,
  });
}

export const clientAction = ({ serverAction }: Route.ClientActionArgs) => stayOnPage(serverAction);

export default function LikeRefused({ actionData, params }: Route.ComponentProps) {
  return (
    <FormRefused error={actionData?.error} back={radioPath(params)}>
      ラジオへ戻る
    </FormRefused>
  );
}
