import { data, Link, redirect } from "react-router";
import { z } from "zod";
import { createBlock, deleteBlock } from "../../../workers/contract/blocks.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { v4Context, viewerContext } from "../../middleware/context.ts";
import { setFlash } from "../../session/flash.ts";
import { closeSession } from "../../session/sign-in.ts";
import { loginPath, safeTo } from "../../session/to.ts";
import type { Refusal } from "../../v4/client.ts";
import type { Route } from "./+types/block.ts";
import { openFormAddress, refuseForm } from "./form-address.ts";

const operationField = z.enum(["block", "unblock"]);

export const loader = ({ params, context }: Route.LoaderArgs) => openFormAddress(context, params.link_id);

export async function action({ request, params, context }: Route.ActionArgs) {
  const form = await request.formData();
  const v4 = context.get(v4Context);
  const to = safeTo(form.get("to"), `/${params.link_id}`);
  const operation = operationField.safeParse(form.get("operation"));
  if (!operation.success) throw data(null, { status: 400 });
  const refuse = (refusal: Refusal) => {
    if (refusal.needs_sign_in) {
      closeSession(context);
      return redirect(loginPath(to), 303);
    }
    return refuseForm(context, refusal);
  };
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

/** Seen only where the form was sent without JavaScript and refused. */
export default function BlockRefused({ actionData, params }: Route.ComponentProps) {
  return (
    <section className="card form">
      <p className="form-error" role="alert">
        {actionData?.error}
      </p>
      <p>
        <Link to={`/${params.link_id}`}>ページへ戻る</Link>
      </p>
    </section>
  );
}
