import { data, Form, Link, redirect } from "react-router";
import * as z from "zod";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { readForm } from "../../../forms/read-form.ts";
import { useStayingForm } from "../../../forms/use-staying-form.ts";
import { edgeContext } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { FACTORS_PATH } from "../../../request/to.ts";
import { identityContext } from "../../../session/context.ts";
import { openSession } from "../../../session/current-session.ts";
import { askProvider, besideField, ownSession } from "../../../sign-in/ask-provider.ts";
import { requireOutsideWays } from "../../../sign-in/outside-ways.ts";
import { readablePhoneNumber } from "../../../sign-in/phone-number.ts";
import { requireRecentSignIn } from "../../../sign-in/recent-sign-in.ts";
import { afterEnrolment } from "../../../sign-in/recovery-codes.ts";
import { readStarted, startedFactorPhone } from "../../../sign-in/started-flows.ts";
import { Button, buttonClass } from "../../../ui/button.tsx";
import { InputField } from "../../../ui/field.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import { CodeField } from "../../login/code-field.tsx";
import { DemoOutbox } from "../../login/demo-outbox.tsx";
import { RecaptchaField } from "../../login/recaptcha-field.tsx";
import { oneTimeCode, phoneNumber } from "../../login/typed.ts";
import type { Route } from "./+types/factor-phone.ts";
import { SettingsPage } from "./settings-page.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "SMSの設定", is_unlisted: true });

const PATH = "/my/settings/factors/phone";
const numberForm = z.object({ phone_number: phoneNumber });
const codeForm = z.object({ code: oneTimeCode });

export async function loader({ url, context }: Route.LoaderArgs) {
  requireOutsideWays(context);
  await requireRecentSignIn(context, url);
  const begun = await readStarted(context, startedFactorPhone);
  const { is_demo } = context.get(edgeContext);
  const { recaptcha } = context.get(identityContext);
  return { asked_number: begun && readablePhoneNumber(begun.phone_number), recaptcha, is_demo };
}

export async function action({ request, url, context }: Route.ActionArgs) {
  requireOutsideWays(context);
  const form = await request.formData();
  const operation = form.get("operation");
  await requireRecentSignIn(context, url, operation === "send" ? form : undefined);
  if (operation === "finish") return finishSetup(context, url, form);
  if (operation === "send") return sendCode(context, url, form);
  startedFactorPhone.forget(context);
  return redirect(PATH, 303);
}

type Context = Route.ActionArgs["context"];

async function sendCode(context: Context, url: URL, form: FormData) {
  const read = readForm(form, numberForm);
  if (!read.value) return data({ result: read.toResult() }, 422);
  const { phone_number } = read.value;
  const recaptcha_token = String(form.get("recaptcha_token") || "") || undefined;
  const asked = await askProvider(context, url, (toolkit, id_token) =>
    toolkit.startPhoneEnrollment(id_token, phone_number, recaptcha_token),
  );
  if (!asked.ok) return data({ result: read.toResult(besideField("phone_number", asked)) }, asked.status);
  const user_id = ownSession(context).id;
  await startedFactorPhone.keep(context, { user_id, phone_number, session_info: asked.answer });
  return redirect(PATH, 303);
}

async function finishSetup(context: Context, url: URL, form: FormData) {
  const read = readForm(form, codeForm);
  if (!read.value) return data({ result: read.toResult() }, 422);
  const begun = await readStarted(context, startedFactorPhone);
  if (!begun) return data({ result: read.toResult("時間が経ったため、はじめからやり直してください。") }, 410);
  const enrolment = { session_info: begun.session_info, code: read.value.code, display_name: "SMS" };
  const asked = await askProvider(context, url, async (toolkit, id_token) =>
    openSession(context, await toolkit.finishEnrollment(id_token, "phone", enrolment)),
  );
  if (!asked.ok) return data({ result: read.toResult(besideField("code", asked)) }, asked.status);
  startedFactorPhone.forget(context);
  setFlash(context, "factor_added");
  return redirect(await afterEnrolment(context, asked.answer), 303);
}

export default function FactorPhone({ loaderData, actionData }: Route.ComponentProps) {
  const { asked_number, recaptcha, is_demo } = loaderData;
  const [form, fields] = useStayingForm<{ phone_number: string; code: string }>({
    id: "phone",
    lastResult: actionData?.result,
  });
  return (
    <SettingsPage title="SMSの設定">
      {asked_number === null ? (
        // Use a plain form, on a page that a full load opens: the reCAPTCHA script intercepts the submit event and then
        // submits the form.
        <form method="post" action={PATH} id={form.id} className="card form" noValidate>
          <HiddenFields operation="send" />
          <p>ログインのたびに、この番号にSMSで6桁のコードをお送りします。</p>
          <FormErrors errors={form.errors} />
          <InputField
            field={fields.phone_number}
            label="電話番号"
            type="tel"
            hint="例：090-1234-5678。海外の番号は +1 のように国番号から入力してください。"
            input={{ autoComplete: "tel", inputMode: "tel" }}
          />
          <RecaptchaField recaptcha={recaptcha} />
          <div className="row">
            <Button>コードを受け取る</Button>
            <Link to={FACTORS_PATH} className={buttonClass({ variant: "gray-outline" })}>
              戻る
            </Link>
          </div>
        </form>
      ) : (
        <>
          <Form method="post" action={PATH} id={form.id} className="card form" noValidate>
            <HiddenFields />
            <p role="status">
              <b>{asked_number}</b> にコードを送りました。
            </p>
            <FormErrors errors={form.errors} />
            <CodeField field={fields.code} label="6桁のコード" hint="有効期限は5分です。" is_first />
            <p className="field-hint">設定すると、この端末のほかは、すべてログアウトします。</p>
            <Button name="operation" value="finish">
              設定を完了する
            </Button>
          </Form>
          <DemoOutbox is_demo={is_demo} what="SMS" />
          {/* This link reloads the document, because the reCAPTCHA script does not run on a page that React renders
              in the browser. */}
          <Form method="post" action={PATH} reloadDocument>
            <HiddenFields />
            <Button name="operation" value="restart" variant="gray-outline">
              番号を入力し直す
            </Button>
          </Form>
        </>
      )}
    </SettingsPage>
  );
}
