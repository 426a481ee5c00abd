import { useForm } from "@conform-to/react";
import { data, Link, type RouterContextProvider, redirect, redirectDocument } from "react-router";
import * as z from "zod";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { loginPath, safeTo } from "../../request/to.ts";
import { identityContext, type Viewer, viewerContext } from "../../session/context.ts";
import { type IdentityAccount, IdentityRefusal } from "../../session/identity-toolkit.ts";
import { LetterIcon } from "../../shell/icons.tsx";
import type { Handle } from "../../shell/layout.ts";
import type { Aim } from "../../sign-in/aim.ts";
import { besideField } from "../../sign-in/ask-provider.ts";
import { trySignIn } from "../../sign-in/finish-sign-in.ts";
import { identityProviders } from "../../sign-in/identity-providers.ts";
import { readablePhoneNumber } from "../../sign-in/phone-number.ts";
import type { OwnSentences } from "../../sign-in/refusals.ts";
import { Button } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { FetchError } from "../../v4/errors.ts";
import type { Route } from "./+types/confirm.ts";
import { AimFields } from "./aim-fields.tsx";
import { ProviderButtons } from "./other-ways.tsx";
import { PhoneIcon } from "./phone-icon.tsx";
import { RecaptchaField } from "./recaptcha-field.tsx";
import { typedPassword } from "./typed.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ご本人の確認", is_unlisted: true });

/** The page has no navigation, so that nothing distracts from the form. */
export const handle: Handle = { layout: "plain" };

const confirmForm = z.object({ password: typedPassword });

const WRONG = { status: 401, message: "パスワードが正しくありません。" };
const sentences: OwnSentences = {
  INVALID_LOGIN_CREDENTIALS: WRONG,
  INVALID_PASSWORD: WRONG,
  EMAIL_NOT_FOUND: WRONG,
  OUTAGE: { status: 503, message: "ただいま確認できません。時間をおいてもう一度お試しください。" },
};

/**
 * A member authenticates again before a sensitive change, so that a person who finds the browser open cannot make it.
 */
export async function loader({ url, context }: Route.LoaderArgs) {
  const to = safeTo(url.searchParams.get("to"));
  const viewer = context.get(viewerContext);
  if (!viewer) throw redirectDocument(loginPath(to));
  const { session } = viewer;
  const { recaptcha } = context.get(identityContext);
  const account = await accountOf(context, viewer);
  const signs_in_by = account?.providerUserInfo?.map(({ providerId }) => providerId) ?? session.providers;
  return {
    to,
    email: session.email,
    phone_number: account?.phoneNumber ? readablePhoneNumber(account.phoneNumber) : null,
    // If the identity service does not answer, fall back to what the session's token says.
    has_password: account ? account.passwordHash !== undefined : session.hasEmailProvider,
    providers: identityProviders.filter(({ provider_id }) => signs_in_by.includes(provider_id)),
    recaptcha,
  };
}

async function accountOf(context: Readonly<RouterContextProvider>, viewer: Viewer): Promise<IdentityAccount | null> {
  try {
    return await context.get(identityContext).toolkit.lookUp(viewer.session.token);
  } catch (error) {
    if (error instanceof FetchError || error instanceof IdentityRefusal) return null;
    throw error;
  }
}

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const to = safeTo(form.get("to"));
  const viewer = context.get(viewerContext);
  if (!viewer) return redirect(loginPath(to), 303);
  const read = readForm(form, confirmForm, ["password"]);
  if (!read.value) return data({ result: read.toResult() }, 422);
  const { password } = read.value;
  const email = viewer.session.email ?? "";
  const attempt = () => context.get(identityContext).toolkit.signInWithPassword(email, password);
  const finished = await trySignIn(context, attempt, { to, purpose: "confirm" }, sentences);
  if (finished instanceof Response) return finished;
  const is_wrong = finished.message === WRONG.message;
  const refused = { ...besideField("password", finished), ...(is_wrong && { fields: { password: [WRONG.message] } }) };
  return data({ result: read.toResult(refused) }, finished.status);
}

export default function Confirm({ loaderData, actionData }: Route.ComponentProps) {
  const [form, fields] = useForm<z.infer<typeof confirmForm>>({ id: "confirm", lastResult: actionData?.result });
  const { to, email, phone_number, has_password, providers, recaptcha } = loaderData;
  const aim: Aim = { to, purpose: "confirm" };
  // The form's action repeats the aim, because a refused form is shown at that address.
  const query = new URLSearchParams({ ...aim });
  return (
    <div className="page page-narrow">
      <h1 className="page-title">ご本人の確認</h1>
      <p className="lead">大切な設定を変更する前に、もう一度ご本人であることを確認します。</p>
      {has_password && email && (
        <form method="post" id={form.id} className="card form" noValidate>
          <FormErrors errors={form.errors} />
          <AimFields aim={aim} />
          <p>
            メールアドレス：<b className="account-address">{email}</b>
          </p>
          {/* This input tells password managers which account this is. They ignore hidden inputs. */}
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordField field={fields.password} label="パスワード" autoComplete="current-password" />
          <Button size="lg" is_block>
            確認する
          </Button>
        </form>
      )}
      {has_password && email && <p className="or">または</p>}
      <div className="ways ways-own">
        <ProviderButtons aim={aim} providers={providers} />
        {email && (
          <form method="post" action={`/login/link?${query}`}>
            <AimFields aim={aim} />
            <Button variant="gray-outline" is_block>
              <LetterIcon />
              メールでリンクを受け取る
            </Button>
          </form>
        )}
        {phone_number && (
          <form method="post" action={`/login/phone?${query}`}>
            <AimFields aim={aim} />
            <RecaptchaField recaptcha={recaptcha} />
            <Button variant="gray-outline" is_block>
              <PhoneIcon />
              {phone_number}でコードを受け取る
            </Button>
          </form>
        )}
      </div>
      <p className="form-aside">
        <Link to="/my/settings">変更をやめて、設定へ戻る</Link>
      </p>
    </div>
  );
}
