import { data, redirect } from "react-router";
import * as z from "zod";
import { remindOfRadio } from "../../../workers/contract/radios.ts";
import { setFlash } from "../../request/flash.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import { v4OfRadio } from "../../session/radio-keys.ts";
import { stayOnPage } from "../../v4/stay-on-page.ts";
import type { Route } from "./+types/radio-reminder.ts";
import { isRefused, refuseForm } from "./form-address.ts";
import { FormRefused } from "./form-refused.tsx";
import { radioPath } from "./radio-path.ts";

/** This address only accepts forms. A GET redirects to the radio. */
export const loader = ({ params, context }: Route.LoaderArgs) =>
  isRefused(context, params) ? null : redirect(radioPath(params));

const operationField = z.enum(["remind", "forget"]);

/** Sets or removes the member's reminder of the radio's start. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const operation = operationField.safeParse((await request.formData()).get("operation"));
  if (!operation.success) throw data(null, { status: 400 });
  const { radio_id } = params;
  const back = radioPath(params);
  if (!context.get(viewerContext)) return redirect(loginPath(back), 303);
  const is_reminded = operation.data === "remind";
  const sent = await v4OfRadio(context, radio_id).send(remindOfRadio, { params: { radio_id }, body: { is_reminded } });
  if (!sent.ok) return refuseForm(context, sent.refusal, back);
  setFlash(context, is_reminded ? "radio_reminded" : "radio_reminder_removed");
  return redirect(back, 303);
}

export const clientAction = ({ serverAction }: Route.ClientActionArgs) => stayOnPage(serverAction);

export default function ReminderRefused({ actionData, params }: Route.ComponentProps) {
  return (
    <FormRefused error={actionData?.error} back={radioPath(params)}>
      ラジオへ戻る
    </FormRefused>
  );
}
