import { data, redirect } from "react-router";
import * as z from "zod";
import { deleteEventComment, listEventComments } from "../../../workers/contract/comments.ts";
import { MAX_PAGE_NUMBER } from "../../../workers/contract/fields.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import { stayOnPage } from "../../v4/stay-on-page.ts";
import type { Route } from "./+types/comment.ts";
import { commentAnchor, eventPath } from "./event-path.ts";
import { isRefused, refuseForm } from "./form-address.ts";
import { FormRefused } from "./form-refused.tsx";

/**
 * A comment has no page of its own: redirects to the page of comments that has it. Redirects to the first page when the
 * viewer does not see the comment.
 */
export async function loader({ params, context }: Route.LoaderArgs) {
  if (isRefused(context, params)) return null;
  const { event_id, comment_id } = params;
  const listing = { params: { event_id }, query: { comment_id } };
  const { comments, page_number } = await context.get(v4Context).read(listEventComments, listing);
  const is_seen = comments.some((comment) => comment.comment_id === comment_id);
  return redirect(
    is_seen ? eventPath(params, page_number, commentAnchor(comment_id)) : eventPath(params, 1, "comments"),
  );
}

const fields = z.object({
  operation: z.enum(["delete", "hide"]),
  page: z.coerce.number().int().min(1).max(MAX_PAGE_NUMBER).catch(1),
});

export async function action({ request, params, context }: Route.ActionArgs) {
  const form = fields.safeParse(Object.fromEntries(await request.formData()));
  if (!form.success) throw data(null, { status: 400 });
  const { event_id, comment_id } = params;
  // If this was the only comment of its page, the post's loader redirects to the page before.
  const back = eventPath(params, form.data.page, "comments");
  if (!context.get(viewerContext)) return redirect(loginPath(back), 303);
  const sent = await context.get(v4Context).send(deleteEventComment, { params: { event_id, comment_id } });
  if (!sent.ok) return refuseForm(context, sent.refusal, back);
  setFlash(context, form.data.operation === "hide" ? "comment_hidden" : "comment_deleted");
  return redirect(back, 303);
}

export const clientAction = ({ serverAction }: Route.ClientActionArgs) => stayOnPage(serverAction);

export default function CommentNotDeleted({ actionData, params }: Route.ComponentProps) {
  return (
    <FormRefused error={actionData?.error} back={eventPath(params, 1, "comments")}>
      コメントへ戻る
    </FormRefused>
  );
}
