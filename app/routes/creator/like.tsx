import { data, type RouterContextProvider, redirect, redirectDocument } from "react-router";
import * as z from "zod";
import { likeEvent, likeEventComment } from "../../../workers/contract/likes.ts";
import { AUTHOR_FIELD } from "../../forms/author-field.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import { closeSession } from "../../session/current-session.ts";
import { guestToken, keepGuestToken } from "../../session/guest.ts";
import { stayOnPage } from "../../v4/stay-on-page.ts";
import type { Route } from "./+types/like.ts";
import { ACTIONS_ANCHOR, commentAnchor, eventPath } from "./event-path.ts";
import { isRefused, refuseForm } from "./form-address.ts";
import { FormRefused } from "./form-refused.tsx";

/** This address only accepts forms. A GET redirects to the post. */
export const loader = ({ params: { link_id, event_id }, context }: Route.LoaderArgs) =>
  isRefused(context, { link_id, event_id }) ? null : redirect(eventPath({ link_id, event_id }));

const fields = z.object({
  is_liked: z.enum(["true", "false"]),
  page: z.coerce.number().int().min(1).max(10_000).catch(1),
});

/** Likes or unlikes a post or a comment. For a visitor, the API uses the guest token in this browser's cookie. */
export async function action({ request, url, params, context }: Route.ActionArgs) {
  const form = await request.formData();
  const read = fields.safeParse(Object.fromEntries(form));
  if (!read.success) throw data(null, { status: 400 });
  const { page } = read.data;
  const is_liked = read.data.is_liked === "true";
  let sent = await like(context, params, is_liked);
  if (!sent.ok && sent.refusal.needs_sign_in) {
    closeSession(context);
    context.set(viewerContext, null);
    context.set(v4Context, context.get(v4Context).asVisitor());
    sent = await like(context, params, is_liked);
  }
  if (!sent.ok) return refuseForm(context, sent.refusal, eventPath(params, page));
  const { comment_id } = params;
  const anchor = comment_id ? commentAnchor(comment_id) : ACTIONS_ANCHOR;
  if (context.get(viewerContext)) return redirect(eventPath(params, page, anchor), 303);
  if (sent.answer.guest_token) keepGuestToken(context, sent.answer.guest_token);
  // The member's session has ended. The API stores her like as a guest's, and claims it for her when she signs in.
  if (form.has(AUTHOR_FIELD)) return redirectDocument(loginPath(eventPath(params, page)), 303);
  // With `quiet`, answer without a redirect: the page's script shows the result itself.
  if (!form.has("quiet")) setFlash(context, is_liked ? "guest_liked" : "guest_unliked", url.pathname);
  return redirect(eventPath(params, page), 303);
}

function like(
  context: Readonly<RouterContextProvider>,
  { event_id, comment_id }: { event_id: string; comment_id?: string },
  is_liked: boolean,
) {
  const v4 = context.get(v4Context);
  const guest_token = context.get(viewerContext) ? undefined : guestToken(context);
  const body = { is_liked, guest_token };
  return comment_id
    ? v4.send(likeEventComment, { params: { event_id, comment_id }, body })
    : v4.send(likeEvent, { params: { event_id }, body });
}

export const clientAction = ({ serverAction }: Route.ClientActionArgs) => stayOnPage(serverAction);

export default function LikeRefused({ actionData, params }: Route.ComponentProps) {
  return (
    <FormRefused error={actionData?.error} back={eventPath(params)}>
      投稿へ戻る
    </FormRefused>
  );
}
