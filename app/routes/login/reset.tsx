import { useForm } from "@conform-to/react";
import { data, Link, redirect } from "react-router";
import * as z from "zod";
import { emailAddress } from "../../../workers/contract/text.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { edgeContext } from "../../request/context.ts";
import { loginPath, resetPath, safeTo } from "../../request/to.ts";
import { identityContext } from "../../session/context.ts";
import type { Handle } from "../../shell/layout.ts";
import { keptTo } from "../../sign-in/aim.ts";
import { besideField } from "../../sign-in/ask-provider.ts";
import { askQuietly } from "../../sign-in/email-link.ts";
import { refusalOf } from "../../sign-in/refusals.ts";
import { InputField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import type { Route } from "./+types/reset.ts";
import { DemoOutbox } from "./demo-outbox.tsx";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: titleOf(args.loaderData), is_unlisted: true });

const titleOf = (shown?: { is_sent: boolean; is_proven: boolean }) =>
  shown?.is_proven ? "パスワードを設定してください" : shown?.is_sent ? "メールを送りました" : "パスワードの再設定";

/** The page has no navigation, so that nothing distracts from the form. */
export const handle: Handle = { layout: "plain" };

const resetForm = z.object({ email: emailAddress });

/** `sent=proven`: the link of the sign-up mail was opened in another browser than the sign-up (mailed-code.ts). */
const PROVEN = "proven";

export function loader({ url, context }: Route.LoaderArgs) {
  const to = safeTo(url.searchParams.get("to"));
  const sent = url.searchParams.get("sent");
  return { to, is_sent: sent !== null, is_proven: sent === PROVEN, is_demo: context.get(edgeContext).is_demo };
}

/** Gives the same answer for every address, so that it does not reveal whether the address has an account. */
export async function action({ request, url, context }: Route.ActionArgs) {
  const form = await request.formData();
  const to = keptTo(safeTo(form.get("to")));
  const read = readForm(form, resetForm);
  if (!read.value) return data({ result: read.toResult() }, 422);
  const { email } = read.value;
  try {
    await askQuietly(() => context.get(identityContext).toolkit.sendPasswordReset(email, url.origin + to));
    return redirect(to === "/" ? "/login/reset?sent" : `/login/reset?sent&${new URLSearchParams({ to })}`, 303);
  } catch (error) {
    const refused = refusalOf(context, error, {
      OUTAGE: { status: 503, message: "ただいまメールを送れません。時間をおいてもう一度お試しください。" },
    });
    return data({ result: read.toResult(besideField("email", refused)) }, refused.status);
  }
}

export default function ResetPassword({ loaderData, actionData }: Route.ComponentProps) {
  const [form, fields] = useForm<z.infer<typeof resetForm>>({ id: "reset", lastResult: actionData?.result });
  const { to, is_sent, is_proven, is_demo } = loaderData;
  return (
    <div className="page page-narrow">
      <h1 className="page-title">{titleOf(loaderData)}</h1>
      {is_proven ? (
        <section className="card form">
          <p role="status">
            <b>メールアドレスを確認しました。</b>
          </p>
          <p>
            登録を始めたブラウザーとは別のブラウザーで確認されたため、安全のために、それまでの設定（パスワードやほかのサービスとの連携）は解除されました。
          </p>
          <p>新しいパスワードを設定するためのメールをお送りしました。1時間以内に、メールのリンクを開いてください。</p>
          <DemoOutbox is_demo={is_demo} what="メール" />
        </section>
      ) : is_sent ? (
        <section className="card form">
          <p>ご登録のメールアドレスであれば、再設定用のリンクが届きます。1時間以内に開いてください。</p>
          <p>届かないときは、迷惑メールの中と、メールアドレスの打ち間違いをご確認ください。</p>
          <DemoOutbox is_demo={is_demo} what="メール" />
          <p>
            <Link to={resetPath(to)}>メールアドレスを入力し直す</Link>
          </p>
        </section>
      ) : (
        <>
          <p className="lead">ご登録のメールアドレスに、新しいパスワードを設定するリンクをお送りします。</p>
          <form method="post" id={form.id} className="card form" noValidate>
            <FormErrors errors={form.errors} />
            <input type="hidden" name="to" value={to} />
            <InputField
              field={fields.email}
              label="メールアドレス"
              type="email"
              input={{ autoComplete: "email", inputMode: "email" }}
            />
            <button type="submit" className="button button-lg button-block">
              再設定のメールを受け取る
            </button>
          </form>
        </>
      )}
      <p className="form-aside">
        <Link to={loginPath(to)}>ログイン画面へ戻る</Link>
      </p>
    </div>
  );
}
