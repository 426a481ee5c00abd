import { useForm } from "@conform-to/react";
import { decodeJwt } from "jose";
import { data, redirect } from "react-router";
import { z } from "zod";
import { emailAddress } from "../../workers/contract/text.ts";
import { getProfile } from "../../workers/contract/users.ts";
import { readForm } from "../forms/read-form.ts";
import { edgeContext, retryAfterContext, v4Context, viewerContext } from "../middleware/context.ts";
import { setFlash } from "../session/flash.ts";
import { claimLikes } from "../session/guest.ts";
import { IdentityRefusal, type Tokens } from "../session/identity-toolkit.ts";
import { finishFollow, isWaiting } from "../session/intent.ts";
import { closeSession, openSession } from "../session/sign-in.ts";
import { safeTo } from "../session/to.ts";
import type { Handle } from "../shell/layout.ts";
import { pageMeta } from "../shell/page-meta.ts";
import { ButtonLink } from "../ui/button.tsx";
import { InputField } from "../ui/field.tsx";
import { FormErrors } from "../ui/form-errors.tsx";
import { FetchError } from "../v4/errors.ts";
import type { Route } from "./+types/login.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ログイン", is_unlisted: true });

/** Nothing beside the form leads away from it. */
export const handle: Handle = { layout: "plain" };

const loginForm = z.object({
  email: emailAddress,
  password: z.string({ error: "パスワードを入力してください。" }).max(600, "パスワードが長すぎます。"),
});

const waitingNotes = {
  follow: "ログインすると、フォローが完了します。",
  form: "ログインすると、書きかけの内容に戻れます。",
};

export async function loader({ url, context }: Route.LoaderArgs) {
  const to = safeTo(url.searchParams.get("to"));
  if (context.get(viewerContext)) throw redirect(to);
  // What somebody wrote matters more to them than a button they pressed.
  const waiting = (["form", "follow"] as const).find((kind) => isWaiting(context, kind));
  return { to, note: waiting ? waitingNotes[waiting] : null };
}

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const to = safeTo(form.get("to"));
  const read = readForm(form, loginForm, ["password"]);
  const refuse = (status: number, message?: string) => data({ result: read.refused(message) }, status);
  if (!read.value) return refuse(422);
  const { toolkit } = context.get(edgeContext);
  const { email, password } = read.value;
  try {
    const signedIn = await toolkit.signInWithPassword(email, password);
    if (signedIn.kind === "needs_second_factor") return refuse(403, "二段階認証によるログインは準備中です。");
    const session = await openVerifiedSession(signedIn.tokens);
    if (!session) return refuse(403, "メールアドレスの確認がまだ済んでいません。確認メールをもう一度お送りしました。");
    const v4 = context.get(v4Context).as(session.token);
    const profile = await v4.send(getProfile, {});
    if (!profile.ok && profile.refusal.code === "registration_required") {
      return redirect(`/signup/registration?${new URLSearchParams({ to })}`, 303);
    }
    if (!profile.ok && profile.refusal.code === "account_disabled") {
      closeSession(context);
      return refuse(403, profile.refusal.detail);
    }
    await claimLikes(context, v4);
    if (await finishFollow(context, v4)) setFlash(context, "followed");
    return redirect(to, 303);
  } catch (error) {
    if (error instanceof FetchError) {
      return refuse(503, "ただいまログインできません。時間をおいてもう一度お試しください。");
    }
    if (!(error instanceof IdentityRefusal)) throw error;
    if (error.code === "TOO_MANY_ATTEMPTS_TRY_LATER") {
      context.set(retryAfterContext, 10 * 60);
      return refuse(429, "ログインの試行回数が多すぎます。しばらく時間をおいてからお試しください。");
    }
    // One sentence for every other reason: it must not tell which addresses have an account.
    return refuse(401, "メールアドレスまたはパスワードが正しくありません。");
  }

  /** A session for a proven address; for an unproven one a new mail and null (decisions, "Limits"). */
  async function openVerifiedSession(tokens: Tokens) {
    // Only to choose the way: opening the session verifies the token.
    if (decodeJwt(tokens.id_token).email_verified === true) return openSession(context, tokens);
    await toolkit.sendVerificationMail(tokens.id_token);
    return null;
  }
}

export default function Login({ loaderData, actionData }: Route.ComponentProps) {
  const [form, fields] = useForm<z.infer<typeof loginForm>>({ id: "login", lastResult: actionData?.result });
  const { to, note } = loaderData;
  return (
    <div className="page page-narrow">
      <h1 className="page-title">ログイン</h1>
      {note && <p className="notice">{note}</p>}
      {/* To its own address, `to` included: a refusal comes back to the same page. */}
      <form method="post" id={form.id} className="card form" noValidate>
        <FormErrors errors={form.errors} />
        <input type="hidden" name="to" value={to} />
        <InputField
          field={fields.email}
          label="メールアドレス"
          type="email"
          input={{ autoComplete: "email", inputMode: "email" }}
        />
        <InputField
          field={fields.password}
          label="パスワード"
          type="password"
          input={{ autoComplete: "current-password" }}
        />
        <button type="submit" className="button button-lg button-block">
          ログイン
        </button>
      </form>
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
