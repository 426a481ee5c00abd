import { useForm } from "@conform-to/react";
import { data, Link, redirect } from "react-router";
import * as z from "zod";
import { emailAddress } from "../../../workers/contract/text.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { isWaiting } from "../../forms/intent.ts";
import { readForm } from "../../forms/read-form.ts";
import { resetPath, safeTo } from "../../request/to.ts";
import { identityContext, viewerContext } from "../../session/context.ts";
import type { Handle } from "../../shell/layout.ts";
import { besideField } from "../../sign-in/ask-provider.ts";
import { trySignIn } from "../../sign-in/finish-sign-in.ts";
import { identityProvider } from "../../sign-in/identity-providers.ts";
import { pendingJoin } from "../../sign-in/join.ts";
import { type OwnSentences, WRONG_PASSWORD } from "../../sign-in/refusals.ts";
import { siteContext } from "../../site/site-context.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { InputField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import type { Route } from "./+types/login.ts";
import { OtherWays } from "./other-ways.tsx";
import { typedPassword } from "./typed.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ログイン", is_unlisted: true });

/** The page has no navigation, so that nothing distracts from the form. */
export const handle: Handle = { layout: "plain" };

const loginForm = z.object({
  email: emailAddress,
  password: typedPassword,
});

const waitingNotes = {
  follow: "ログインすると、フォローが完了します。",
  form: "ログインすると、書きかけの内容に戻れます。",
};

/** All other reasons get the same sentence, so that it does not reveal which addresses have an account. */
const sentences: OwnSentences = {
  OTHERWISE: WRONG_PASSWORD,
  TOO_MANY_ATTEMPTS_TRY_LATER: {
    status: 429,
    message: "ログインの試行回数が多すぎます。1時間ほどおいてからお試しください。",
    retry_after_s: 60 * 60,
  },
};

/**
 * Firebase says that an account is disabled before it checks the password; its emulator does
 * (firebase-tools, src/emulator/auth/operations.ts). Our own provider checks the password first.
 */
const sentencesOfFirebase: OwnSentences = { ...sentences, USER_DISABLED: WRONG_PASSWORD };

export async function loader({ url, context }: Route.LoaderArgs) {
  const to = safeTo(url.searchParams.get("to"));
  if (context.get(viewerContext)) throw redirect(to);
  const join = await pendingJoin.read(context);
  const joined = identityProvider(join?.provider_id);
  // If both a form and a follow are kept, mention the form: its text matters more than a pressed follow button.
  const waiting = (["form", "follow"] as const).find((kind) => isWaiting(context, kind));
  const note = joined
    ? `ログインすると、${joined.name}がログイン方法として連携されます。`
    : waiting
      ? waitingNotes[waiting]
      : to.startsWith("/my/subscriptions/join/")
        ? "プランに加入するにはログインが必要です。"
        : null;
  return { to, note, email: join?.email, has_outside_ways: context.get(siteContext).has_outside_ways };
}

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const to = safeTo(form.get("to"));
  const read = readForm(form, loginForm, ["password"]);
  if (!read.value) return data({ result: read.toResult() }, 422);
  const { toolkit, recaptcha } = context.get(identityContext);
  const { email, password } = read.value;
  const attempt = () => toolkit.signInWithPassword(email, password);
  // Only Firebase needs reCAPTCHA.
  const own = recaptcha ? sentencesOfFirebase : sentences;
  const finished = await trySignIn(context, attempt, { to, purpose: "sign_in" }, own);
  if (finished instanceof Response) return finished;
  return data({ result: read.toResult(besideField("email", finished)) }, finished.status);
}

export default function Login({ loaderData, actionData }: Route.ComponentProps) {
  const [form, fields] = useForm<z.infer<typeof loginForm>>({
    id: "login",
    lastResult: actionData?.result,
    defaultValue: { email: loaderData.email },
  });
  const { to, note, has_outside_ways } = loaderData;
  return (
    <div className="page page-narrow">
      <h1 className="page-title">ログイン</h1>
      {note && <p className="notice">{note}</p>}
      {/* The form posts to its own address with `to`, so that a refused form is shown at the same address. */}
      <form method="post" id={form.id} className="card form" noValidate>
        <FormErrors errors={form.errors} />
        <input type="hidden" name="to" value={to} />
        <InputField
          field={fields.email}
          label="メールアドレス"
          type="email"
          input={{ autoComplete: "username", inputMode: "email" }}
        />
        <PasswordField field={fields.password} label="パスワード" autoComplete="current-password" />
        <button type="submit" className="button button-lg button-block">
          ログイン
        </button>
        <p className="form-aside">
          <Link to={resetPath(to)}>パスワードをお忘れの方</Link>
        </p>
      </form>
      <OtherWays to={to} words="login" has_outside_ways={has_outside_ways} />
      {/* The shell's sign-up buttons lead here. Source: spec section 2, `/login`. */}
      <section id="signup" className="card form-other">
        <h2>はじめての方</h2>
        <p>登録は無料です。メールアドレスがあれば、すぐにはじめられます。</p>
        <ButtonLink to={`/signup?${new URLSearchParams({ to })}`} variant="primary-outline" is_block>
          新規登録
        </ButtonLink>
      </section>
    </div>
  );
}
