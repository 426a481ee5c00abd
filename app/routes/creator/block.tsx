import { data, redirect } from "react-router";
import * as z from "zod";
import { createBlock, deleteBlock } from "../../../workers/contract/blocks.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { loginPath, safeTo } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import type { Refusal } from "../../v4/client.ts";
import { stayOnPage } from "../../v4/stay-on-page.ts";
import type { Route } from "./+types/block.ts";
import { isRefused, refuseForm } from "./form-address.ts";
import { FormRefused } from "./form-refused.tsx";

const operationField = z.enum(["block", "unblock"]);

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
  if (!context.get(viewerContext)) return redirect(loginPath(to), 303);
  const found = await v4.send(getUser, { query: { link_id: params.link_id } });
  if (!found.ok) return refuse(found.refusal);
  const blocking_id = found.answer.user.user_id;
  const sent =
    operation.data === "block"
      ? await v4.send(createBlock, { body: { blocking_id } })
      : await v4.send(deleteBlock, { params: { blocking_id } });
  if (!sent.ok) return refuse(sent.refusal);
  setFlash(context, operation.data === "block" ? "blocked" : "unblocked");
  return redirect(to, 303);
}

export const clientAction = ({ serverAction }: Route.ClientActionArgs) => stayOnPage(serverAction);

export default function BlockRefused({ actionData, params }: Route.ComponentProps) {
  return (
    <FormRefused error={actionData?.error} back={`/${params.link_id}`}>
      ページへ戻る
    </FormRefused>
  );
}
