import { useForm } from "@conform-to/react";
import { data, Link, redirect } from "react-router";
import * as z from "zod";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { edgeContext } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { identityContext, viewerContext } from "../../session/context.ts";
import type { Handle } from "../../shell/layout.ts";
import type { Aim } from "../../sign-in/aim.ts";
import { besideField } from "../../sign-in/ask-provider.ts";
import { trySignIn } from "../../sign-in/finish-sign-in.ts";
import { askedCode, sendPhoneCode } from "../../sign-in/phone-code.ts";
import { readablePhoneNumber } from "../../sign-in/phone-number.ts";
import { refusalOf, SOMEBODY_ELSE_NOW } from "../../sign-in/refusals.ts";
import { FormErrors } from "../../ui/form-errors.tsx";
import type { Route } from "./+types/phone-code.ts";
import { backOf } from "./back.ts";
import { CodeField } from "./code-field.tsx";
import { DemoOutbox } from "./demo-outbox.tsx";
import { RecaptchaField } from "./recaptcha-field.tsx";
import { NO_SMS } from "./sentences.ts";
import { oneTimeCode } from "./typed.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "コードの入力", is_unlisted: true });

/** The page has no navigation, so that nothing distracts from the form. */
export const handle: Handle = { layout: "plain" };

const codeForm = z.object({ code: oneTimeCode });

export async function loader({ context }: Route.LoaderArgs) {
  const asked = await askedCode.read(context);
  if (!asked) throw redirect("/login/phone");
  const { is_demo } = context.get(edgeContext);
  const { recaptcha } = context.get(identityContext);
  return { other: otherWay(asked), phone_number: readablePhoneNumber(asked.phone_number), is_demo, recaptcha };
}

/** The link to enter another number. A member who confirms their identity can only use the number of the account. */
function otherWay(aim: Aim): { path: string; words: string } {
  if (aim.purpose === "confirm") return backOf(aim);
  const { to, purpose } = aim;
  return { path: `/login/phone?${new URLSearchParams({ to, purpose })}`, words: "電話番号を変更する" };
}

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const asked = await askedCode.read(context);
  if (!asked) {
    setFlash(context, "sign_in_expired");
    return redirect("/login/phone", 303);
  }
  const { toolkit } = context.get(identityContext);
  const read = readForm(form, codeForm);
  const viewer = context.get(viewerContext);
  if (asked.purpose !== "sign_in" && viewer?.session.id !== asked.user_id) {
    askedCode.forget(context);
    return data({ result: read.toResult(SOMEBODY_ELSE_NOW.message), is_sent: false }, SOMEBODY_ELSE_NOW.status);
  }
  if (form.get("operation") === "send") {
    try {
      await sendPhoneCode(context, asked.phone_number, asked, String(form.get("recaptcha_token") || "") || undefined);
      return data({ result: null, is_sent: true });
    } catch (error) {
      const { status, message } = refusalOf(context, error, { OUTAGE: NO_SMS });
      return data({ result: read.toResult(message), is_sent: false }, status);
    }
  }
  const { value } = read;
  if (!value) return data({ result: read.toResult(), is_sent: false }, 422);
  const id_token = asked.purpose === "link" ? viewer?.session.token : undefined;
  const attempt = () => toolkit.signInWithPhoneNumber(asked.session_info, value.code, id_token);
  const finished = await trySignIn(context, attempt, asked, {
    PHONE_NUMBER_EXISTS: { status: 409, message: "この電話番号は、すでに別のアカウントに登録されています。" },
  });
  if (!(finished instanceof Response)) {
    return data({ result: read.toResult(besideField("code", finished)), is_sent: false }, finished.status);
  }
  askedCode.forget(context);
  return finished;
}

export default function PhoneCode({ loaderData, actionData }: Route.ComponentProps) {
  const [form, fields] = useForm<z.infer<typeof codeForm>>({ id: "code", lastResult: actionData?.result });
  const { other, phone_number, is_demo, recaptcha } = loaderData;
  return (
    <div className="page page-narrow">
      <h1 className="page-title">コードの入力</h1>
      <p className="lead" role="status">
        <b>{phone_number}</b> に{actionData?.is_sent && "新しい"}コードを送りました。
      </p>
      <form method="post" id={form.id} className="card form" noValidate>
        <FormErrors errors={form.errors} />
        <CodeField field={fields.code} label="6桁のコード" hint="有効期限は5分です。" is_first />
        <button type="submit" className="button button-lg button-block">
          続ける
        </button>
      </form>
      <DemoOutbox is_demo={is_demo} what="SMS" />
      <form method="post" className="form-aside">
        <input type="hidden" name="operation" value="send" />
        <RecaptchaField recaptcha={recaptcha} />
        <button type="submit" className="link-button">
          コードを送り直す
        </button>
      </form>
      <p className="form-aside">
        <Link to={other.path}>{other.words}</Link>
      </p>
    </div>
  );
}
