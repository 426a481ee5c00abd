import { data, redirect } from "react-router";
import * as z from "zod";
import { MAX_PAGE_NUMBER } from "../../../workers/contract/fields.ts";
import { deleteRadioComment } from "../../../workers/contract/radios.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import { stayOnPage } from "../../v4/stay-on-page.ts";
import type { Route } from "./+types/radio-comment.ts";
import { isRefused, refuseForm } from "./form-address.ts";
import { FormRefused } from "./form-refused.tsx";
import { radioPath } from "./radio-path.ts";

/** This address only accepts forms. A GET redirects to the comments. */
export const loader = ({ params, context }: Route.LoaderArgs) =>
  isRefused(context, params) ? null : redirect(radioPath(params, 1, "comments"));

const fields = z.object({
  operation: z.literal("delete"),
  page: z.coerce.number().int().min(1).max(MAX_PAGE_NUMBER).catch(1),
});

export async function action({ request, params, context }: Route.ActionArgs) {
  const form = fields.safeParse(Object.fromEntries(await request.formData()));
  if (!form.success) throw data(null, { status: 400 });
  const { radio_id, comment_id } = params;
  // If this was the only comment of its page, the radio's loader redirects to the page before.
  const back = radioPath(params, form.data.page, "comments");
  if (!context.get(viewerContext)) return redirect(loginPath(back), 303);
  const sent = await context.get(v4Context).send(deleteRadioComment, { params: { radio_id, comment_id } });
  if (!sent.ok) return refuseForm(context, sent.refusal, back);
  setFlash(context, "comment_deleted");
  return redirect(back, 303);
}

export const clientAction = ({ serverAction }: Route.ClientActionArgs) => stayOnPage(serverAction);

export default function RadioCommentNotDeleted({ actionData, params }: Route.ComponentProps) {
  return (
    <FormRefused error={actionData?.error} back={radioPath(params, 1, "comments")}>
      コメントへ戻る
    </FormRefused>
  );
}
