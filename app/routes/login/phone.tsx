import { useForm } from "@conform-to/react";
import { data, Link, type RouterContextProvider, redirect } from "react-router";
import * as z from "zod";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { loginPath } from "../../request/to.ts";
import { identityContext, viewerContext } from "../../session/context.ts";
import type { Handle } from "../../shell/layout.ts";
import { type Aim, aimOf, type Purpose } from "../../sign-in/aim.ts";
import { besideField } from "../../sign-in/ask-provider.ts";
import { requireOutsideWays } from "../../sign-in/outside-ways.ts";
import { sendPhoneCode } from "../../sign-in/phone-code.ts";
import { requireRecentSignIn } from "../../sign-in/recent-sign-in.ts";
import { refusalOf } from "../../sign-in/refusals.ts";
import { InputField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import type { Route } from "./+types/phone.ts";
import { AimFields } from "./aim-fields.tsx";
import { backOf } from "./back.ts";
import { RecaptchaField } from "./recaptcha-field.tsx";
import { NO_SMS } from "./sentences.ts";
import { phoneNumber } from "./typed.ts";

const titleOf = (purpose: Purpose | undefined) => (purpose === "link" ? "電話番号の登録" : "電話番号でログイン");

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: titleOf(args.loaderData?.aim.purpose), is_unlisted: true });

/** The page has no navigation, so that nothing distracts from the form. */
export const handle: Handle = { layout: "plain" };

const phoneForm = z.object({ phone_number: phoneNumber });

export async function loader({ url, context }: Route.LoaderArgs) {
  requireOutsideWays(context);
  const aim = aimOf(url.searchParams);
  await requireSignIn(context, aim, url);
  if (context.get(viewerContext) && aim.purpose === "sign_in") throw redirect(aim.to);
  return { aim, recaptcha: context.get(identityContext).recaptcha };
}

/** Only a member who signed in recently may link a phone number. */
async function requireSignIn(context: Readonly<RouterContextProvider>, aim: Aim, url: URL): Promise<void> {
  if (aim.purpose !== "sign_in" && !context.get(viewerContext)) throw redirect(loginPath(aim.to), 303);
  if (aim.purpose === "link") await requireRecentSignIn(context, new URL(aim.to, url));
}

export async function action({ request, url, context }: Route.ActionArgs) {
  requireOutsideWays(context);
  const form = await request.formData();
  const aim = aimOf(form);
  await requireSignIn(context, aim, url);
  const { toolkit } = context.get(identityContext);
  const viewer = context.get(viewerContext);
  let read = readForm(form, phoneForm);
  try {
    // A member who confirms their identity cannot choose the number: use the number of their account.
    if (aim.purpose === "confirm" && viewer) {
      form.set("phone_number", (await toolkit.lookUp(viewer.session.token)).phoneNumber ?? "");
      read = readForm(form, phoneForm);
    }
    if (!read.value) return data({ result: read.toResult() }, 422);
    await sendPhoneCode(context, read.value.phone_number, aim, String(form.get("recaptcha_token") || "") || undefined);
    return redirect("/login/phone/code", 303);
  } catch (error) {
    const refused = refusalOf(context, error, { OUTAGE: NO_SMS });
    return data({ result: read.toResult(besideField("phone_number", refused)) }, refused.status);
  }
}

export default function PhoneNumber({ loaderData, actionData }: Route.ComponentProps) {
  const [form, fields] = useForm<z.infer<typeof phoneForm>>({ id: "phone", lastResult: actionData?.result });
  const { aim, recaptcha } = loaderData;
  const back = backOf(aim);
  const is_own = aim.purpose === "confirm";
  return (
    <div className="page page-narrow">
      <h1 className="page-title">{titleOf(aim.purpose)}</h1>
      <p className="lead">
        SMSで6桁のコードをお送りします。
        {aim.purpose === "sign_in" && "はじめての方は、そのまま登録に進めます。"}
      </p>
      {/* The form posts to its own address with the purpose, so that a refused form is shown at the same address. */}
      <form method="post" id={form.id} className="card form" noValidate>
        <FormErrors errors={form.errors ?? (is_own ? fields.phone_number.errors : undefined)} />
        <AimFields aim={aim} />
        {/* A member who confirms their identity gets the code at the number of their account. */}
        {!is_own && (
          <InputField
            field={fields.phone_number}
            label="電話番号"
            type="tel"
            hint="例：090-1234-5678。海外の番号は +1 のように国番号から入力してください。"
            input={{ autoComplete: "tel", inputMode: "tel" }}
          />
        )}
        <RecaptchaField recaptcha={recaptcha} />
        <button type="submit" className="button button-lg button-block">
          コードを受け取る
        </button>
      </form>
      <p className="form-aside">
        <Link to={back.path}>{back.words}</Link>
      </p>
    </div>
  );
}
