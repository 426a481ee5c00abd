import { type SubmissionResult, useForm } from "@conform-to/react";
import { data } from "react-router";
import * as z from "zod";
import { PASSWORD_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { emailAddress, newPassword } from "../../../workers/contract/text.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { loginPath, resetPath, safeTo } from "../../request/to.ts";
import { identityContext, viewerContext } from "../../session/context.ts";
import type { Handle } from "../../shell/layout.ts";
import { besideField } from "../../sign-in/ask-provider.ts";
import { askedLink } from "../../sign-in/email-link.ts";
import { hasPendingSignUp } from "../../sign-in/pending-sign-up.ts";
import { refusalOf } from "../../sign-in/refusals.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { InputField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import type { Route } from "./+types/action.ts";
import { type MailMode, mailModes, NEEDS_SIGN_IN } from "./mail-modes.ts";
import { confirmAddress, resetPassword, signInByLink } from "./mailed-code.ts";

const titles: Readonly<Record<MailMode, string>> = {
  verifyEmail: "メールアドレスの確認",
  resetPassword: "新しいパスワードの設定",
  signIn: "メールでログイン",
  verifyAndChangeEmail: "新しいメールアドレスの確認",
  recoverEmail: "メールアドレスを元に戻す",
};

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: args.loaderData ? titles[args.loaderData.mode] : "リンクの確認", is_unlisted: true });

/** The page has no navigation, so that nothing distracts from the form. */
export const handle: Handle = { layout: "plain" };

const resetForm = z.object({ password: newPassword });
const linkForm = z.object({ email: emailAddress });

/** The target of links in the identity provider's emails. Like Firebase's own links, they have `mode` and `oobCode`. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const search = url.searchParams;
  const oob_code = search.get("oobCode") ?? "";
  const mode = mailModes.find((known) => known === search.get("mode"));
  if (!mode || oob_code === "") throw data(null, { status: 404 });
  const is_signed_in = context.get(viewerContext) !== null;
  const shown = {
    mode,
    oob_code,
    to: cameFrom(url),
    here: url.pathname + url.search,
    is_signed_in,
    is_elsewhere: mode === "verifyEmail" && !is_signed_in && !hasPendingSignUp(context),
    email: null as string | null,
    old: null as string | null,
  };
  if (mode === "signIn") return { ...shown, email: (await askedLink.read(context))?.email ?? null };
  if (mode !== "resetPassword") return shown;
  try {
    return { ...shown, email: (await context.get(identityContext).toolkit.readCode(oob_code)).email };
  } catch (error) {
    const { status, message } = refusalOf(context, error, {
      OUTAGE: { status: 503, message: "ただいま確認できません。時間をおいてもう一度お試しください。" },
    });
    return data({ ...shown, old: message }, status);
  }
}

/** Uses the link's code. It requires a POST, because mail scanners open links and would use the code up. */
export async function action({ request, url, context }: Route.ActionArgs) {
  const form = await request.formData();
  const search = url.searchParams;
  const oob_code = String(form.get("oob_code") || search.get("oobCode") || "");
  const mode = mailModes.find((known) => known === search.get("mode"));
  if (!mode) throw data(null, { status: 404 });
  const is_reset = mode === "resetPassword";
  if (mode !== "signIn" && !is_reset) {
    const done = await confirmAddress(context, mode, oob_code, { origin: url.origin, to: cameFrom(url) });
    return done instanceof Response ? done : data({ result: null, refused: done }, done.status);
  }
  const asked = await askedLink.read(context);
  // The browser that requested the link remembers its email address. In another browser the person has to type it.
  if (!is_reset && asked && !form.has("email")) form.set("email", asked.email);
  const read = readForm(form, is_reset ? resetForm : linkForm, ["password"]);
  if (!read.value) return data({ result: read.toResult(), refused: null }, 422);
  const done =
    "password" in read.value
      ? await resetPassword(context, oob_code, read.value.password, cameFrom(url))
      : await signInByLink(context, oob_code, read.value.email, asked ?? { to: cameFrom(url), purpose: "sign_in" });
  if (done instanceof Response) return done;
  const result = done.status === 410 ? null : read.toResult(besideField(is_reset ? "password" : "email", done));
  return data({ result, refused: done }, done.status);
}

/** Returns the page that requested the email, from the link's `continueUrl`. Browsers without the cookie need it. */
function cameFrom(url: URL): string {
  const to = url.searchParams.get("continueUrl") ?? "";
  return URL.canParse(to) && new URL(to).origin === url.origin ? safeTo(to.slice(url.origin.length) || "/") : "/";
}

/**
 * The page where a person requests a new link after one has expired, by mode. `to` is the page that the old link
 * continued to.
 */
const newLinkPages: Readonly<Record<MailMode, { pathOf: (to: string) => string; words: string }>> = {
  verifyEmail: { pathOf: () => "/login", words: "ログインして確認メールを受け取る" },
  resetPassword: { pathOf: resetPath, words: "再設定のメールをもう一度受け取る" },
  signIn: { pathOf: () => "/login/link", words: "新しいリンクを受け取る" },
  verifyAndChangeEmail: { pathOf: () => "/my/settings/email", words: "メールアドレスの設定へ" },
  recoverEmail: { pathOf: () => "/login/reset", words: "パスワードを再設定する" },
};

export default function MailedLink({ loaderData, actionData }: Route.ComponentProps) {
  const { mode, old, to, is_signed_in } = loaderData;
  const refused = actionData?.refused ?? null;
  const dead = old ?? (refused && refused.status === 410 ? refused.message : null);
  const is_refused_here = refused?.code === NEEDS_SIGN_IN && mode === "verifyAndChangeEmail";
  return (
    <div className="page page-narrow">
      <h1 className="page-title">{titles[mode]}</h1>
      {dead ? (
        <section className="card form">
          <FormErrors errors={[dead]} />
          <ButtonLink to={newLinkPages[mode].pathOf(to)} is_block>
            {newLinkPages[mode].words}
          </ButtonLink>
        </section>
      ) : mode === "resetPassword" ? (
        <NewPassword loaderData={loaderData} result={actionData?.result} />
      ) : mode === "signIn" ? (
        <SignInByLink loaderData={loaderData} result={actionData?.result} />
      ) : is_refused_here || (mode === "verifyAndChangeEmail" && !is_signed_in) ? (
        <SignInFirst here={loaderData.here} is_signed_in={is_signed_in} />
      ) : (
        <ConfirmAddress mode={mode} loaderData={loaderData} refused={refused?.message} />
      )}
    </div>
  );
}

type Shown = Pick<Route.ComponentProps, "loaderData"> & { result: SubmissionResult<string[]> | null | undefined };

function NewPassword({ loaderData: { oob_code, email }, result }: Shown) {
  const [form, fields] = useForm<z.infer<typeof resetForm>>({ id: "new-password", lastResult: result });
  return (
    <form method="post" id={form.id} className="card form" noValidate>
      <FormErrors errors={form.errors} />
      {email && (
        <p>
          <b>{email}</b> の新しいパスワードを設定します。
        </p>
      )}
      <input type="hidden" name="oob_code" value={oob_code} />
      {/* This input tells password managers which account this is. They ignore hidden inputs. */}
      <input type="text" name="username" autoComplete="username" value={email ?? ""} readOnly hidden />
      <PasswordField
        field={fields.password}
        label="新しいパスワード"
        hint={`${PASSWORD_GRAPHEMES.min}文字以上。設定すると、ほかの端末からはログアウトされます。`}
        autoComplete="new-password"
      />
      <Button size="lg" is_block>
        パスワードを設定する
      </Button>
    </form>
  );
}

function SignInByLink({ loaderData: { oob_code, email }, result }: Shown) {
  const [form, fields] = useForm<z.infer<typeof linkForm>>({ id: "sign-in", lastResult: result });
  const is_typed = email === null || form.status === "error";
  return (
    <form method="post" id={form.id} className="card form" noValidate>
      <FormErrors errors={form.errors} />
      <input type="hidden" name="oob_code" value={oob_code} />
      {is_typed ? (
        <>
          <p>
            リンクを受け取ったメールアドレスを、もう一度入力してください。ほかの方がこのリンクを開いてもログインできないように、確認しています。
          </p>
          <InputField
            field={fields.email}
            label="メールアドレス"
            type="email"
            input={{ autoComplete: "email", inputMode: "email" }}
          />
        </>
      ) : (
        <p>
          <b>{email}</b> でログインします。
        </p>
      )}
      <Button size="lg" is_block>
        ログイン
      </Button>
    </form>
  );
}

/** Asks for a sign-in before an address is changed, because a stranger may have requested the email. */
function SignInFirst({ here, is_signed_in }: { here: string; is_signed_in: boolean }) {
  return (
    <section className="card form">
      <p>
        {is_signed_in
          ? "いまログインしているアカウントは、この変更を申し込んだアカウントではありません。"
          : "変更を完了するには、変更を申し込んだアカウントでログインしてください。"}
      </p>
      <p className="field-hint">
        ほかの方のアカウントにあなたのメールアドレスが登録されないように、確認しています。お申し込みの覚えがないときは、このページを閉じてください。
      </p>
      {is_signed_in ? (
        <form method="post" action="/logout">
          <Button variant="gray-outline" is_block>
            ログアウトする
          </Button>
        </form>
      ) : (
        <ButtonLink to={loginPath(here)} size="lg" is_block>
          ログインして続ける
        </ButtonLink>
      )}
    </section>
  );
}

const confirmations = {
  verifyEmail: {
    words: "ボタンを押すと、メールアドレスの確認が完了します。",
    hint: "ご自身で手続きをした覚えがないときは、ボタンを押さずにこのページを閉じてください。",
    button: "メールアドレスを確認する",
  },
  verifyAndChangeEmail: {
    words: "ボタンを押すと、このメールを受け取ったアドレスが、ご登録のメールアドレスになります。",
    hint: "ご自身で手続きをした覚えがないときは、ボタンを押さずにこのページを閉じてください。",
    button: "このメールアドレスを登録する",
  },
  recoverEmail: {
    words: "変更した覚えがないときは、ボタンを押してください。メールアドレスが変更前のものに戻ります。",
    hint: "第三者に操作された可能性があります。安全のため、パスワードと、電話番号やほかのサービスでのログインは解除されます。続けて、新しいパスワードを設定してください。",
    button: "元のメールアドレスに戻す",
  },
} as const;

interface Confirming extends Pick<Route.ComponentProps, "loaderData"> {
  mode: keyof typeof confirmations;
  refused: string | undefined;
}

function ConfirmAddress({ mode, loaderData: { oob_code, is_elsewhere }, refused }: Confirming) {
  const { words, hint, button } = confirmations[mode];
  return (
    <form method="post" className="card form">
      {refused ? <FormErrors errors={[refused]} /> : <p>{words}</p>}
      {is_elsewhere && (
        <p className="notice">
          登録を始めたブラウザーとは、別のブラウザーで開いています。このまま確認すると、安全のため、登録のときのパスワードは解除され、新しいパスワードを設定していただきます。登録を始めたブラウザーで開くと、そのまま続けられます。
        </p>
      )}
      <p className="field-hint">{hint}</p>
      <input type="hidden" name="oob_code" value={oob_code} />
      <Button size="lg" is_block>
        {button}
      </Button>
    </form>
  );
}
