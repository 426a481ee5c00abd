import type { SubmissionResult } from "@conform-to/react";
import { data, Form, redirect } from "react-router";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { Author } from "../../../forms/author.tsx";
import { forgetIntent, keptForm } from "../../../forms/intent.ts";
import { useStayingForm } from "../../../forms/use-staying-form.ts";
import { wordsOf } from "../../../forms/words.ts";
import { edgeContext } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { viewerContext } from "../../../session/context.ts";
import { askProvider, ownAccount } from "../../../sign-in/ask-provider.ts";
import { mailNewAddress } from "../../../sign-in/new-address.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { ButtonForm } from "../../../ui/button-form.tsx";
import { InputField } from "../../../ui/field.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import { DemoOutbox } from "../../login/demo-outbox.tsx";
import type { Route } from "./+types/email.ts";
import { SettingsPage } from "./settings-page.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "メールアドレス", is_unlisted: true });

const PATH = "/my/settings/email";

export async function loader({ url, context }: Route.LoaderArgs) {
  const { email = null, emailVerified: is_proven = false } = await ownAccount(context, url);
  const kept = await keptForm(context, PATH);
  return {
    user_id: context.get(viewerContext)?.profile?.user_id,
    email,
    is_proven,
    is_sent: url.searchParams.has("sent"),
    is_demo: context.get(edgeContext).is_demo,
    written: { new_email: String(kept?.get("new_email") ?? "") },
  };
}

export async function action({ request, url, context }: Route.ActionArgs) {
  const words = wordsOf(await request.formData(), PATH);
  if (words.form.get("operation") === "resend") return resendMail(context, url);
  const refused = await mailNewAddress(context, url, words, PATH);
  if (refused) return refused;
  forgetIntent(context, "form");
  return redirect(`${PATH}?sent`, 303);
}

async function resendMail(context: Route.ActionArgs["context"], url: URL) {
  const asked = await askProvider(context, url, (toolkit, id_token) =>
    toolkit.sendVerificationMail(id_token, url.origin + PATH),
  );
  if (!asked.ok) return data({ error: asked.message }, asked.status);
  setFlash(context, "verification_sent");
  return redirect(PATH, 303);
}

export default function Email({ loaderData, actionData }: Route.ComponentProps) {
  const { user_id, email, is_proven, is_sent, is_demo, written } = loaderData;
  const answer = actionData as { result?: SubmissionResult<string[]>; error?: string } | undefined;
  const [form, fields] = useStayingForm<{ new_email: string }>({
    id: "email",
    lastResult: answer?.result,
    defaultValue: written,
  });
  return (
    <SettingsPage title="メールアドレス">
      {is_sent && !answer && (
        <div className="notice" role="status">
          <p>
            <b>確認メールを送りました。</b>
          </p>
          <p>
            メールに書かれたリンクを開くと、メールアドレスの変更が完了します。それまでは、いまのメールアドレスのままです。
          </p>
        </div>
      )}
      {is_sent && !answer && <DemoOutbox is_demo={is_demo} what="メール" />}
      <section className="card form">
        <h2 className="section-title">いまのメールアドレス</h2>
        <FormErrors errors={answer?.error ? [answer.error] : undefined} answer={answer} />
        {email ? (
          <p className="account-address">
            <b>{email}</b> <Badge tone={is_proven ? "new" : "quiet"}>{is_proven ? "確認済み" : "未確認"}</Badge>
          </p>
        ) : (
          <p>登録されていません。</p>
        )}
        {email && !is_proven && (
          <ButtonForm action={PATH}>
            {(is_sending) => (
              <Button name="operation" value="resend" variant="primary-outline" aria-disabled={is_sending}>
                確認メールをもう一度送る
              </Button>
            )}
          </ButtonForm>
        )}
      </section>
      <Form method="post" action={PATH} id={form.id} className="card form" noValidate>
        <h2 className="section-title">{email ? "メールアドレスを変更する" : "メールアドレスを登録する"}</h2>
        <FormErrors errors={form.errors} />
        <HiddenFields />
        <Author id={user_id} />
        <InputField
          field={fields.new_email}
          label="新しいメールアドレス"
          type="email"
          hint="このアドレスに確認メールをお送りします。"
          input={{ autoComplete: "email", inputMode: "email" }}
        />
        {email && (
          <p className="field-hint">
            変更すると、いまのメールアドレスにもお知らせします。この端末を含むすべての端末で、ログインし直す必要があります。
          </p>
        )}
        <Button>確認メールを送る</Button>
      </Form>
    </SettingsPage>
  );
}
