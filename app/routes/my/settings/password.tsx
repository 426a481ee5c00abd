import { data, Form, Link, redirect } from "react-router";
import * as z from "zod";
import { PASSWORD_GRAPHEMES } from "../../../../workers/contract/bounds.ts";
import { newPassword } from "../../../../workers/contract/text.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { readForm } from "../../../forms/read-form.ts";
import { useStayingForm } from "../../../forms/use-staying-form.ts";
import { setFlash } from "../../../request/flash.ts";
import { openSession } from "../../../session/current-session.ts";
import { askProvider, ownAccount } from "../../../sign-in/ask-provider.ts";
import { requireRecentSignIn } from "../../../sign-in/recent-sign-in.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import { PasswordField } from "../../../ui/password-field.tsx";
import type { Route } from "./+types/password.ts";
import { SettingsPage } from "./settings-page.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "パスワード", is_unlisted: true });

const PATH = "/my/settings/password";
/** The form asks for the new password twice, because without a script a person cannot show what they typed. */
const passwordForm = z
  .object({ password: newPassword, password_again: z.string("もう一度入力してください。") })
  .refine(({ password, password_again }) => password === password_again, {
    path: ["password_again"],
    error: "新しいパスワードと一致しません。",
  });

/**
 * Require a recent sign-in before showing the form: a password is never kept during a sign-in, so the member would have
 * to type it again.
 */
export async function loader({ url, context }: Route.LoaderArgs) {
  await requireRecentSignIn(context, url);
  const { email = null, emailVerified: is_proven = false, passwordHash } = await ownAccount(context, url);
  return { email, is_proven, has_password: passwordHash !== undefined };
}

export async function action({ request, url, context }: Route.ActionArgs) {
  const read = readForm(await request.formData(), passwordForm, ["password", "password_again"]);
  if (!read.value) return data({ result: read.toResult() }, 422);
  await requireRecentSignIn(context, url);
  const { password } = read.value;
  const { emailVerified, passwordHash } = await ownAccount(context, url);
  // An unverified address may be another person's, who could then sign in with a password they did not choose.
  if (!emailVerified) return data({ result: read.toResult("先にメールアドレスを確認してください。") }, 422);
  const asked = await askProvider(context, url, async (toolkit, id_token) =>
    openSession(context, await toolkit.setPassword(id_token, password)),
  );
  if (!asked.ok) return data({ result: read.toResult(asked.message) }, asked.status);
  setFlash(context, passwordHash === undefined ? "password_set" : "password_changed");
  return redirect(PATH, 303);
}

export default function Password({ loaderData, actionData }: Route.ComponentProps) {
  const { email, is_proven, has_password } = loaderData;
  const [form, fields] = useStayingForm<z.input<typeof passwordForm>>({
    id: "password",
    lastResult: actionData?.result,
  });
  return (
    <SettingsPage title="パスワード">
      {is_proven && email ? (
        <Form method="post" action={PATH} id={form.id} className="card form" noValidate reloadDocument>
          <HiddenFields />
          <h2 className="section-title">{has_password ? "パスワードを変更する" : "パスワードを設定する"}</h2>
          <p>
            {has_password
              ? "変更すると、この端末のほかは、すべてログアウトします。"
              : "設定すると、メールアドレスとパスワードでもログインできるようになります。この端末のほかは、すべてログアウトします。"}
          </p>
          <FormErrors errors={form.errors} />
          <div className="field">
            <label htmlFor="password-email">メールアドレス</label>
            {/* This input is for password managers, which store the address with the password. */}
            <input
              id="password-email"
              className="control"
              type="email"
              autoComplete="username"
              readOnly
              value={email}
            />
          </div>
          <PasswordField
            field={fields.password}
            label="新しいパスワード"
            hint={`${PASSWORD_GRAPHEMES.min}文字以上、${PASSWORD_GRAPHEMES.max}文字まで。`}
            autoComplete="new-password"
          />
          <PasswordField field={fields.password_again} label="確認のため、もう一度" autoComplete="new-password" />
          <Button>{has_password ? "変更する" : "設定する"}</Button>
        </Form>
      ) : (
        <section className="card form">
          <h2 className="section-title">先にメールアドレスの確認が必要です</h2>
          <p>パスワードは、確認済みのメールアドレスと組み合わせて使います。</p>
          <p>
            <ButtonLink to="/my/settings/email">
              {email ? "メールアドレスを確認する" : "メールアドレスを登録する"}
            </ButtonLink>
          </p>
        </section>
      )}
      <p className="field-hint">
        パスワードのほかにも備えるには、<Link to="/my/settings/factors">二段階認証</Link>をお使いください。
      </p>
    </SettingsPage>
  );
}
