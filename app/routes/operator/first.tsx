import { useForm } from "@conform-to/react";
import { data } from "react-router";
import type * as z from "zod";
import { PASSWORD_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { createFirstOperator, findFirstOperatorPage } from "../../../workers/contract/first-operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { FACTORS_PATH } from "../../request/to.ts";
import { identityContext } from "../../session/context.ts";
import { identityCalls } from "../../session/identity-calls.ts";
import type { Handle } from "../../shell/layout.ts";
import { trySignIn } from "../../sign-in/finish-sign-in.ts";
import { Button } from "../../ui/button.tsx";
import { InputField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import type { Route } from "./+types/first.ts";

/** Where a new site gets its first operator. Everywhere else the page does not exist. Source: docs/decisions/0052. */

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "最初の運営者の登録", is_unlisted: true });

/** The page has no navigation: nothing else can be done yet. */
export const handle: Handle = { layout: "plain" };

const NOBODY = { token: null };

export async function loader({ context }: Route.LoaderArgs) {
  await identityCalls(context, NOBODY).read(findFirstOperatorPage, {});
  return null;
}

/** Registers the operator, signs in, and leads to the second factor, without which the operator's pages do not open. */
export async function action({ request, context }: Route.ActionArgs) {
  const read = readForm(await request.formData(), createFirstOperator.body, ["key", "password"]);
  const calls = identityCalls(context, NOBODY);
  if (!read.value) {
    await calls.read(findFirstOperatorPage, {});
    return data({ result: read.toResult() }, 422);
  }
  const sent = await calls.send(createFirstOperator, { body: read.value });
  if (!sent.ok && sent.refusal.status === 404) throw calls.failure(sent.refusal);
  if (!sent.ok) return data({ result: read.toResult(sent.refusal) }, sent.refusal.status);
  const { email, password } = read.value;
  const { toolkit } = context.get(identityContext);
  const attempt = () => toolkit.signInWithPassword(email, password);
  const finished = await trySignIn(context, attempt, { to: FACTORS_PATH, purpose: "sign_in" });
  if (finished instanceof Response) return finished;
  return data({ result: read.toResult(finished.message) }, finished.status);
}

export default function FirstOperatorPage({ actionData }: Route.ComponentProps) {
  const [form, fields] = useForm<z.input<typeof createFirstOperator.body>>({
    id: "first-operator",
    lastResult: actionData?.result,
  });
  return (
    <div className="page page-narrow">
      <h1 className="page-title">最初の運営者の登録</h1>
      <p className="lead">
        このサイトには、まだ運営者がいません。サーバーの起動時に表示されたキーを使って、最初の運営者のアカウントを作ります。キーは1回だけ使えます。
      </p>
      <form method="post" id={form.id} className="card form" noValidate>
        <FormErrors errors={form.errors} />
        <InputField
          field={fields.key}
          label="起動時に表示されたキー"
          type="password"
          hint="サーバーの端末またはログにあります。"
          input={{ autoComplete: "off" }}
        />
        <InputField field={fields.name} label="名前" type="text" input={{ autoComplete: "name" }} />
        <InputField
          field={fields.email}
          label="メールアドレス"
          type="email"
          input={{ autoComplete: "username", inputMode: "email" }}
        />
        <PasswordField
          field={fields.password}
          label="パスワード"
          hint={`${PASSWORD_GRAPHEMES.min}文字以上。`}
          autoComplete="new-password"
        />
        <Button size="lg" is_block>
          運営者として登録する
        </Button>
        <p className="field-hint">
          続けて、アカウントの登録と二段階認証の設定に進みます。運営の操作には、二段階認証が必要です。
        </p>
      </form>
    </div>
  );
}
