import type { SubmissionResult } from "@conform-to/react";
import { data, Form, Link, redirect, redirectDocument } from "react-router";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Author } from "../../forms/author.tsx";
import { forgetIntent, keptForm } from "../../forms/intent.ts";
import { useStayingForm } from "../../forms/use-staying-form.ts";
import { wordsOf } from "../../forms/words.ts";
import { isComplete } from "../../middleware/completeness.ts";
import { edgeContext } from "../../request/context.ts";
import { loginPath, safeTo } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import type { Handle } from "../../shell/layout.ts";
import { keptTo } from "../../sign-in/aim.ts";
import { askProvider } from "../../sign-in/ask-provider.ts";
import { mailNewAddress, takeOverAddress } from "../../sign-in/new-address.ts";
import { isReady } from "../../site/features.ts";
import { Button } from "../../ui/button.tsx";
import { InputField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { DemoOutbox } from "../login/demo-outbox.tsx";
import type { Route } from "./+types/register-email.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: titleOf(args.loaderData?.email), is_unlisted: true });

const titleOf = (email: string | null | undefined) => `メールアドレスの${email === null ? "登録" : "確認"}`;

/** The page has no navigation, so that nothing distracts from the form. */
export const handle: Handle = { layout: "plain" };

const PATH = "/signup/register_email";
const pathOf = (query: Record<string, string>) => `${PATH}?${new URLSearchParams(query)}`;

/**
 * The page for a member without a working email address: mail to it bounced, or the member signed up by phone. Every
 * other page redirects here. Source: spec section 4, Account completeness redirect.
 */
export async function loader({ url, context }: Route.LoaderArgs) {
  const to = safeTo(url.searchParams.get("to"));
  const viewer = context.get(viewerContext);
  if (!viewer) throw redirectDocument(loginPath(url.pathname + url.search));
  const is_invalid = viewer.profile?.email_invalid ?? false;
  const { email, emailVerified } = viewer.session;
  const is_proven = email !== null && emailVerified && !is_invalid;
  // Do not offer a way back: the middleware would redirect every other page to this one.
  const must_stay = viewer.profile !== null && !is_proven && (is_invalid || !isComplete(viewer.profile));
  const kept = await keptForm(context, PATH);
  return {
    to,
    user_id: viewer.profile?.user_id,
    email,
    is_invalid,
    is_proven,
    must_stay,
    sent: url.searchParams.get("sent"),
    is_demo: context.get(edgeContext).is_demo,
    written: { new_email: String(kept?.get("new_email") ?? "") },
  };
}

export async function action({ request, url, context }: Route.ActionArgs) {
  if (!context.get(viewerContext)) return redirectDocument(loginPath(url.pathname + url.search), 303);
  const to = safeTo(url.searchParams.get("to"));
  const words = wordsOf(await request.formData(), PATH);
  const operation = words.form.get("operation");
  if (operation === "check") {
    if (await takeOverAddress(context)) return redirect(to, 303);
    return data({ error: "メールアドレスの確認が、まだ済んでいません。メールに書かれたリンクを開いてください。" }, 409);
  }
  if (operation === "change") {
    const refused = await mailNewAddress(context, url, words, to);
    if (refused) return refused;
    forgetIntent(context, "form");
    return redirect(pathOf({ to, sent: "new" }), 303);
  }
  const asked = await askProvider(context, url, (toolkit, id_token) =>
    toolkit.sendVerificationMail(id_token, url.origin + keptTo(to)),
  );
  if (asked.ok) return redirect(pathOf({ to, sent: "own" }), 303);
  return data({ error: "確認メールを送れませんでした。時間をおいてもう一度お試しください。" }, asked.status);
}

export default function RegisterEmail({ loaderData, actionData }: Route.ComponentProps) {
  const { to, user_id, email, is_invalid, is_proven, must_stay, sent, is_demo, written } = loaderData;
  const answer = actionData as { result?: SubmissionResult<string[]>; error?: string } | undefined;
  const [form, fields] = useStayingForm<{ new_email: string }>({
    id: "register-email",
    lastResult: answer?.result,
    defaultValue: written,
  });
  const here = pathOf({ to });
  return (
    <div className="page page-narrow">
      <h1 className="page-title">{titleOf(email)}</h1>
      <FormErrors errors={answer?.error ? [answer.error] : undefined} answer={answer} />
      {is_invalid && (
        <p className="notice">お送りしたメールが届きませんでした。メールアドレスの状態をご確認ください。</p>
      )}
      {sent && !is_proven && (
        <Form method="post" action={pathOf({ to, sent })} className="card form">
          <HiddenFields />
          <p role="status">
            <b>確認メールを送りました。</b>メールに書かれたリンクを開いてください。
          </p>
          <DemoOutbox is_demo={is_demo} what="メール" />
          <Button name="operation" value="check" is_block>
            確認が済んだので進む
          </Button>
        </Form>
      )}
      {email && (
        <Form method="post" action={here} className="card form">
          <HiddenFields />
          <p>
            登録されているメールアドレス：<b className="account-address">{email}</b>
          </p>
          {is_proven && <p>このメールアドレスは確認済みです。</p>}
          {!is_proven && (
            <Button name="operation" value="resend" is_block variant={sent ? "gray-outline" : "primary"}>
              {sent === "own" ? "確認メールをもう一度送る" : "確認メールを送る"}
            </Button>
          )}
        </Form>
      )}
      {/* Also show this field after a refusal while the current address counts as verified, so that the person can
          correct the refused one. */}
      {(!is_proven || answer?.result) && (
        <Form method="post" action={here} id={form.id} className="card form" noValidate>
          {(email || sent) && <h2 className="section-title">別のメールアドレスにする</h2>}
          <FormErrors errors={form.errors} />
          <HiddenFields />
          <Author id={user_id} />
          <InputField
            field={fields.new_email}
            label={email ? "新しいメールアドレス" : "メールアドレス"}
            type="email"
            hint="このアドレスに確認メールをお送りします。"
            input={{ autoComplete: "email", inputMode: "email" }}
          />
          <Button name="operation" value="change" is_block variant={email || sent ? "gray-outline" : "primary"}>
            {email ? "変更して確認メールを送る" : "確認メールを送る"}
          </Button>
        </Form>
      )}
      {!must_stay && (
        <p className="form-aside">
          <Link to={to}>もとのページへ戻る</Link>
        </p>
      )}
      {must_stay && isReady("leaving") && (
        <p className="form-aside">
          <Link to="/my/settings/leave">登録せずに退会する</Link>
        </p>
      )}
    </div>
  );
}
