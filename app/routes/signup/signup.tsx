import { useForm } from "@conform-to/react";
import { decodeJwt } from "jose";
import { data, Link, type RouterContextProvider, redirect } from "react-router";
import * as z from "zod";
import { PASSWORD_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { errorCatalogue } from "../../../workers/contract/errors.ts";
import { emailAddress, newPassword } from "../../../workers/contract/text.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { edgeContext, pausedContext } from "../../request/context.ts";
import { PausedNotice } from "../../request/paused-notice.tsx";
import { loginPath, safeTo } from "../../request/to.ts";
import { identityContext, viewerContext } from "../../session/context.ts";
import { IdentityRefusal, type Tokens } from "../../session/identity-toolkit.ts";
import type { Handle } from "../../shell/layout.ts";
import { keptTo } from "../../sign-in/aim.ts";
import { besideField } from "../../sign-in/ask-provider.ts";
import { endUnused } from "../../sign-in/finish-sign-in.ts";
import { startPendingSignUp } from "../../sign-in/pending-sign-up.ts";
import { type OwnSentences, refusalOf } from "../../sign-in/refusals.ts";
import { siteContext } from "../../site/site-context.ts";
import { InputField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import type { Refusal } from "../../v4/client.ts";
import { OtherWays } from "../login/other-ways.tsx";
import type { Route } from "./+types/signup.ts";
import { Consent } from "./consent.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "新規登録" });

/** The page has no navigation, so that nothing distracts from the form. */
export const handle: Handle = { layout: "plain" };

type Context = Readonly<RouterContextProvider>;

const signUpForm = z.object({
  email: emailAddress,
  password: newPassword,
});

const sentences: OwnSentences = {
  OUTAGE: { status: 503, message: "ただいま登録できません。時間をおいてもう一度お試しください。" },
  TOO_MANY_ATTEMPTS_TRY_LATER: {
    status: 429,
    message: "登録の回数が多すぎます。1時間ほどおいてからお試しください。",
    retry_after_s: 60 * 60,
  },
  OTHERWISE: {
    status: 422,
    message: "このメールアドレスとパスワードでは登録できません。入力内容をご確認ください。",
  },
};

export function loader({ url, context }: Route.LoaderArgs) {
  const to = safeTo(url.searchParams.get("to"));
  if (context.get(viewerContext)) throw redirect(to);
  return { to, has_outside_ways: context.get(siteContext).has_outside_ways };
}

/**
 * Starts a sign-up. The answer 「確認メールを送りました」 and its duration are the same for all addresses. Only the
 * email, which is sent after the response, says whether there was an account (decisions, "Limits").
 */
export async function action({ request, url, context }: Route.ActionArgs) {
  const form = await request.formData();
  const to = safeTo(form.get("to"));
  const read = readForm(form, signUpForm, ["password"]);
  const refuse = (status: number, why?: Refusal) => data({ result: read.toResult(why) }, status);
  if (!read.value) return refuse(422);
  // The API refuses the registration too. Refuse before the identity provider makes an account that nobody can use.
  if (context.get(pausedContext).includes("registrations")) {
    const { status, detail } = errorCatalogue.registrations_paused;
    return data({ result: read.toResult(detail) }, status);
  }
  const { afterAnswer } = context.get(edgeContext);
  const { toolkit } = context.get(identityContext);
  const { email, password } = read.value;
  try {
    const tokens = await signUpAgain(context, email, password);
    const way_on = url.origin + keptTo(to);
    afterAnswer("the mail of a sign-up", () =>
      tokens ? toolkit.sendVerificationMail(tokens.id_token, way_on) : toolkit.sendEmailLink(email, way_on),
    );
    await startPendingSignUp(context, { refresh_token: tokens?.refresh_token ?? "", to, email });
    return redirect("/signup/sent", 303);
  } catch (error) {
    const refused = refusalOf(context, error, sentences);
    return refuse(refused.status, besideField("email", refused));
  }
}

/**
 * Creates an account, or signs in to an unproven one with the same password, whose first email was lost. Returns null
 * if the address belongs to an existing account; its owner gets an email with a link to sign in. If the password is
 * wrong, always makes both calls, so that timing reveals nothing.
 */
async function signUpAgain(context: Context, email: string, password: string): Promise<Tokens | null> {
  const { afterAnswer } = context.get(edgeContext);
  const { toolkit } = context.get(identityContext);
  const known = await unlessRefused(() => toolkit.signInWithPassword(email, password));
  if (known?.kind === "signed_in") {
    const { tokens } = known;
    if (decodeJwt(tokens.id_token).email_verified !== true) return tokens;
    afterAnswer("the end of a sign-in", () => endUnused(context, tokens));
  }
  return unlessRefused(() => toolkit.signUp(email, password), new Set(["EMAIL_EXISTS"]));
}

/**
 * Runs a call of the provider. Returns null if the provider refuses it with one of the codes in `these`, or with any
 * code if omitted. Throws other errors.
 */
async function unlessRefused<T>(ask: () => Promise<T>, these?: ReadonlySet<string>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof IdentityRefusal && (!these || these.has(error.code))) return null;
    throw error;
  }
}

export default function SignUp({ loaderData, actionData }: Route.ComponentProps) {
  const [form, fields] = useForm<z.infer<typeof signUpForm>>({ id: "signup", lastResult: actionData?.result });
  return (
    <div className="page page-narrow">
      <h1 className="page-title">新規登録</h1>
      <p className="lead">登録は無料です。お好きな方法で、すぐにはじめられます。</p>
      <PausedNotice feature="registrations" />
      {/* The form posts to its own address with `to`, so that a refused form is shown at the same address. */}
      <form method="post" id={form.id} className="card form" noValidate>
        <FormErrors errors={form.errors} />
        <input type="hidden" name="to" value={loaderData.to} />
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
        <Consent is_first_step />
        <button type="submit" className="button button-lg button-block">
          確認メールを送る
        </button>
      </form>
      <OtherWays to={loaderData.to} words="signup" has_outside_ways={loaderData.has_outside_ways} />
      <p className="form-aside">
        アカウントをお持ちの方は <Link to={loginPath(loaderData.to)}>ログイン</Link>
      </p>
    </div>
  );
}
