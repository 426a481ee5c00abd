import { data, type RouterContextProvider, redirect, redirectDocument } from "react-router";
import * as z from "zod";
import type { likeEvent } from "../../../workers/contract/likes.ts";
import type { AnswerOf } from "../../../workers/contract/operation.ts";
import { AUTHOR_FIELD } from "../../forms/author-field.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import { closeSession } from "../../session/current-session.ts";
import { guestToken, keepGuestToken } from "../../session/guest.ts";
import type { Sent } from "../../v4/client.ts";
import { refuseForm } from "./form-address.ts";

type Context = Readonly<RouterContextProvider>;

/** What is liked. */
interface LikeTarget {
  /** Calls the API, as the viewer of this moment. */
  send(body: { is_liked: boolean; guest_token?: string }): Promise<Sent<AnswerOf<typeof likeEvent>>>;
  /** The address of the page that shows it, with a page of comments and a fragment. */
  pathTo(page: number, id?: string): string;
  /** The fragment of the like button. */
  anchor: string;
}

const fields = z.object({
  is_liked: z.enum(["true", "false"]),
  page: z.coerce.number().int().min(1).max(10_000).catch(1),
});

/** Answers the form of a like button. For a visitor, the API uses the guest token in this browser's cookie. */
export async function handleLike(request: Request, url: URL, context: Context, { send, pathTo, anchor }: LikeTarget) {
  const form = await request.formData();
  const read = fields.safeParse(Object.fromEntries(form));
  if (!read.success) throw data(null, { status: 400 });
  const { page } = read.data;
  const is_liked = read.data.is_liked === "true";
  const like = () => send({ is_liked, guest_token: context.get(viewerContext) ? undefined : guestToken(context) });
  let sent = await like();
  if (!sent.ok && sent.refusal.needs_sign_in) {
    closeSession(context);
    context.set(viewerContext, null);
    context.set(v4Context, context.get(v4Context).asVisitor());
    sent = await like();
  }
  if (!sent.ok) return refuseForm(context, sent.refusal, pathTo(page));
  if (context.get(viewerContext)) return redirect(pathTo(page, anchor), 303);
  if (sent.answer.guest_token) keepGuestToken(context, sent.answer.guest_token);
  // The member's session has ended. The API stores her like as a guest's, and claims it for her when she signs in.
  if (form.has(AUTHOR_FIELD)) return redirectDocument(loginPath(pathTo(page)), 303);
  // With `quiet`, answer without a redirect: the page's script shows the result itself.
  if (!form.has("quiet")) setFlash(context, is_liked ? "guest_liked" : "guest_unliked", url.pathname);
  return redirect(pathTo(page), 303);
}
