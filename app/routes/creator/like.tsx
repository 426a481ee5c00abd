import { redirect } from "react-router";
import { likeEvent, likeEventComment } from "../../../workers/contract/likes.ts";
import { v4Context } from "../../request/context.ts";
import { stayOnPage } from "../../v4/stay-on-page.ts";
import type { Route } from "./+types/like.ts";
import { ACTIONS_ANCHOR, commentAnchor, eventPath } from "./event-path.ts";
import { isRefused } from "./form-address.ts";
import { FormRefused } from "./form-refused.tsx";
import { handleLike } from "./send-like.ts";

/** This address only accepts forms. A GET redirects to the post. */
export const loader = ({ params: { link_id, event_id }, context }: Route.LoaderArgs) =>
  isRefused(context, { link_id, event_id }) ? null : redirect(eventPath({ link_id, event_id }));

/** Likes or unlikes a post or a comment. */
export function action({ request, url, params, context }: Route.ActionArgs) {
  const { event_id, comment_id } = params as { event_id: string; comment_id?: string };
  return handleLike(request, url, context, {
    send: (body) => {
      const v4 = context.get(v4Context);
      return comment_id
        ? v4.send(likeEventComment, { params: { event_id, comment_id }, body })
        : v4.send(likeEvent, { params: { event_id }, body });
    },
    pathTo: (page, id) => eventPath(params, page, id),
    anchor: comment_id ? commentAnchor(comment_id) : ACTIONS_ANCHOR,
  });
}

export const clientAction = ({ serverAction }: Route.ClientActionArgs) => stayOnPage(serverAction);

export default function LikeRefused({ actionData, params }: Route.ComponentProps) {
  return (
    <FormRefused error={actionData?.error} back={eventPath(params)}>
      投稿へ戻る
    </FormRefused>
  );
}
