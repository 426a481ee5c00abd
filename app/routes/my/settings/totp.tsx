import { data, Form, Link, redirect, useNavigationType } from "react-router";
import * as z from "zod";
import { text } from "../../../../workers/contract/text.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { type ReadForm, readForm } from "../../../forms/read-form.ts";
import { useStayingForm } from "../../../forms/use-staying-form.ts";
import { setFlash } from "../../../request/flash.ts";
import { FACTORS_PATH } from "../../../request/to.ts";
import { openSession } from "../../../session/current-session.ts";
import { askProvider, besideField, ownSession } from "../../../sign-in/ask-provider.ts";
import { requireRecentSignIn } from "../../../sign-in/recent-sign-in.ts";
import { afterEnrolment } from "../../../sign-in/recovery-codes.ts";
import { readStarted, startedTotp } from "../../../sign-in/started-flows.ts";
import { qrCode } from "../../../text/qr-code.server.ts";
import { Button, buttonClass } from "../../../ui/button.tsx";
import { InputField } from "../../../ui/field.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import { CodeField } from "../../login/code-field.tsx";
import { oneTimeCode } from "../../login/typed.ts";
import type { Route } from "./+types/totp.ts";
import { SettingsPage } from "./settings-page.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "認証アプリの設定", is_unlisted: true });

const PATH = "/my/settings/factors/totp";
const NAME_GRAPHEMES = 30;
const DEFAULT_NAME = "認証アプリ";

const finishForm = z.object({
  display_name: text({ label: "名前", max: NAME_GRAPHEMES }).optional(),
  code: oneTimeCode,
});

/** Returns the secret as a URI for authenticator apps. Source: google-authenticator, "Key Uri Format". */
function keyUri(account: string, secret: string): string {
  const label = `ofuse:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=ofuse&algorithm=SHA1&digits=6&period=30`;
}

export async function loader({ url, context }: Route.LoaderArgs) {
  await requireRecentSignIn(context, url);
  const begun = await readStarted(context, startedTotp);
  if (!begun) return { enrolment: null };
  const { email, displayName, id } = ownSession(context);
  const uri = keyUri(email ?? displayName ?? id, begun.secret);
  return { enrolment: { uri, qr: qrCode(uri), groups: begun.secret.match(/.{1,4}/g) ?? [] } };
}

export async function action({ request, url, context }: Route.ActionArgs) {
  const form = await request.formData();
  await requireRecentSignIn(context, url);
  if (form.get("operation") === "start") return startSetup(context, url, readForm(form, z.object({})));
  if (form.get("operation") === "stop") {
    startedTotp.forget(context);
    return redirect(FACTORS_PATH, 303);
  }
  const read = readForm(form, finishForm);
  if (!read.value) return data({ result: read.toResult() }, 422);
  const begun = await readStarted(context, startedTotp);
  if (!begun) return data({ result: read.toResult("時間が経ったため、はじめからやり直してください。") }, 410);
  const { code, display_name = DEFAULT_NAME } = read.value;
  const enrolment = { session_info: begun.session_info, code, display_name };
  const asked = await askProvider(context, url, async (toolkit, id_token) =>
    openSession(context, await toolkit.finishEnrollment(id_token, "totp", enrolment)),
  );
  if (!asked.ok) return data({ result: read.toResult(besideField("code", asked)) }, asked.status);
  startedTotp.forget(context);
  setFlash(context, "factor_added");
  return redirect(await afterEnrolment(context, asked.answer), 303);
}

async function startSetup(context: Route.ActionArgs["context"], url: URL, read: ReadForm) {
  const asked = await askProvider(context, url, (toolkit, id_token) => toolkit.startTotpEnrollment(id_token));
  if (!asked.ok) return data({ result: read.toResult(asked.message) }, asked.status);
  await startedTotp.keep(context, { user_id: ownSession(context).id, ...asked.answer });
  return redirect(PATH, 303);
}

/** Focuses the first step, which replaces the pressed button. `keepFocus` would skip the QR code and the key. */
function focusStep(heading: HTMLElement | null): void {
  if (document.activeElement === document.body) heading?.focus();
}

export default function Totp({ loaderData, actionData }: Route.ComponentProps) {
  const { enrolment } = loaderData;
  const is_loaded_page = useNavigationType() === "POP";
  const [form, fields] = useStayingForm<{ display_name: string; code: string }>({
    id: "totp",
    lastResult: actionData?.result,
    defaultValue: { display_name: DEFAULT_NAME, code: "" },
  });
  return (
    <SettingsPage title="認証アプリの設定">
      {enrolment === null ? (
        <Form method="post" action={PATH} className="card form">
          <HiddenFields />
          <FormErrors errors={form.errors} />
          <p>
            Google AuthenticatorやMicrosoft
            Authenticator、1Passwordなどの認証アプリを、スマートフォンに入れておいてください。
          </p>
          <p className="field-hint">次の画面でQRコードを表示します。10分以内に設定を終えてください。</p>
          <div className="row">
            <Button name="operation" value="start">
              設定をはじめる
            </Button>
            <Link to={FACTORS_PATH} className={buttonClass({ variant: "gray-outline" })}>
              戻る
            </Link>
          </div>
        </Form>
      ) : (
        <>
          <section className="card form">
            <h2 className="section-title" ref={is_loaded_page ? null : focusStep} tabIndex={-1}>
              1. 認証アプリに登録する
            </h2>
            <p>認証アプリでQRコードを読み取ってください。</p>
            <svg
              className="qr-code"
              viewBox={`0 0 ${enrolment.qr.size} ${enrolment.qr.size}`}
              role="img"
              aria-label="認証アプリに登録するためのQRコード"
              shapeRendering="crispEdges"
            >
              <path d={enrolment.qr.path} />
            </svg>
            <p>
              この端末の認証アプリを使うときは、<a href={enrolment.uri}>認証アプリを開く</a>
              か、次のキーを認証アプリに入力してください。
            </p>
            <p className="secret-key">
              <code>{enrolment.groups.join(" ")}</code>
            </p>
          </section>
          <Form method="post" action={PATH} id={form.id} className="card form" noValidate>
            <HiddenFields />
            <h2 className="section-title">2. 表示されたコードを入力する</h2>
            <FormErrors errors={form.errors} />
            <CodeField field={fields.code} label="6桁のコード" hint="認証アプリに表示されている数字です。" />
            <InputField
              field={fields.display_name}
              label="この認証アプリの名前"
              type="text"
              hint={`見分けるための名前です。${NAME_GRAPHEMES}文字まで。`}
              input={{ autoComplete: "off" }}
            />
            <p className="field-hint">設定すると、この端末のほかは、すべてログアウトします。</p>
            <Button name="operation" value="finish">
              設定を完了する
            </Button>
          </Form>
          <Form method="post" action={PATH}>
            <HiddenFields />
            <Button name="operation" value="stop" variant="gray-outline">
              やめる
            </Button>
          </Form>
        </>
      )}
    </SettingsPage>
  );
}
