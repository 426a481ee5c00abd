import { type SubmissionResult, useForm } from "@conform-to/react";
import { data, Link, type RouterContextProvider, redirect, redirectDocument } from "react-router";
import * as z from "zod";
import { AGE_OF_MAJORITY, MIN_AGE, NAME_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { errorCatalogue } from "../../../workers/contract/errors.ts";
import { toNormalForm } from "../../../workers/contract/normal-form.ts";
import { createProfile, updateProfile } from "../../../workers/contract/users.ts";
import { showRegisterCompleteModal } from "../../browser/stored-keys.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { announceKeptForm, finishFollow, forgetIntent } from "../../forms/intent.ts";
import { readForm } from "../../forms/read-form.ts";
import { isComplete } from "../../middleware/completeness.ts";
import { refusedContext, v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { PausedNotice } from "../../request/paused-notice.tsx";
import { loginPath, safeTo } from "../../request/to.ts";
import { type Viewer, viewerContext } from "../../session/context.ts";
import { closeSession } from "../../session/current-session.ts";
import { claimLikes } from "../../session/guest.ts";
import { deleteIdentity, sayGoodbye } from "../../session/leave.ts";
import type { Session } from "../../session/session.ts";
import type { Handle } from "../../shell/layout.ts";
import { requireRecentSignIn } from "../../sign-in/recent-sign-in.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField } from "../../ui/choices.tsx";
import { InputField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { registrationForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/registration.ts";
import { Consent } from "./consent.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "アカウント登録", is_unlisted: true });

/** The page has no navigation, so that nothing distracts from the form. */
export const handle: Handle = { layout: "plain" };

const pathTo = (path: string, to: string) => `${path}?${new URLSearchParams({ to })}`;
const registrationPath = (to: string) => pathTo("/signup/registration", to);
const emailPath = (to: string) => pathTo("/signup/register_email", to);

const hasProvenAddress = ({ email, emailVerified }: Session) => Boolean(email && emailVerified);

export function loader({ url, context }: Route.LoaderArgs) {
  const to = safeTo(url.searchParams.get("to"));
  const viewer = context.get(viewerContext);
  if (!viewer) throw redirectDocument(loginPath(registrationPath(to)));
  const { session, profile } = viewer;
  if (isComplete(profile)) throw redirect(to);
  // Ask for the address first if nothing else is missing, or if the existing address has to be verified before the
  // registration.
  if (!hasProvenAddress(session) && profile?.default_name) throw redirect(emailPath(to));
  if (!hasProvenAddress(session) && session.email) throw redirect(emailPath(registrationPath(to)));
  const written = {
    default_name: profile?.default_name ?? session.displayName ?? "",
    birth_year: String(profile?.birth_year ?? ""),
  };
  const may_give_up = viewer.registration === "missing";
  return { to, email: session.email, written, may_give_up, idempotency_key: crypto.randomUUID() };
}

export async function action({ request, url, context }: Route.ActionArgs) {
  const form = await request.formData();
  const to = safeTo(form.get("to"));
  const viewer = context.get(viewerContext);
  if (!viewer) return redirectDocument(loginPath(registrationPath(to)), 303);
  if (form.get("operation") === "give_up")
    return cancelRegistration(context, viewer, form, new URL(registrationPath(to), url));
  // Japanese phone keyboards also produce full-width digits.
  form.set("birth_year", toNormalForm(String(form.get("birth_year") ?? ""), "NFKC").trim());
  const read = readForm(form, registrationForm);
  if (!read.value) return data({ result: read.toResult() }, 422);
  const body = read.value;
  const v4 = context.get(v4Context);
  const idempotency_key = String(form.get("idempotency_key") || crypto.randomUUID());
  const email_confirmed = hasProvenAddress(viewer.session) ? { email_confirmed: true as const } : {};
  const sent =
    viewer.registration === "complete"
      ? await v4.send(updateProfile, { body: { ...body, ...email_confirmed }, idempotency_key })
      : await v4.send(createProfile, { body, idempotency_key });
  if (!sent.ok && sent.refusal.code !== "profile_already_exists") {
    const { code, status } = sent.refusal;
    if (code === "under_age") return data({ result: read.toResult(), is_under_age: true }, status);
    // An unchecked box is not in the form data. Add it, so that the error is shown next to the box.
    if (code === "guardian_consent_required") form.set("guardian_consent", "");
    return data({ result: read.toResult(sent.refusal) }, status);
  }
  await claimLikes(context, v4);
  const tells_of_follow = await finishFollow(context, v4);
  // A person who signed up by phone or X, for example, still needs an address.
  if (!hasProvenAddress(viewer.session)) return redirect(emailPath(to), 303);
  const reader = { user_id: undefined, account_id: viewer.session.id };
  const tells_of_form = await announceKeptForm(context, v4, to, reader);
  if (!tells_of_follow && !tells_of_form) setFlash(context, "registered");
  return redirect(to, 303);
}

/** Deletes the account of a person who cancels the registration. The product has stored nothing about them yet. */
async function cancelRegistration(context: Readonly<RouterContextProvider>, viewer: Viewer, form: FormData, url: URL) {
  if (viewer.registration !== "missing") throw data(null, { status: 400 });
  const not_theirs = context.get(refusedContext);
  if (not_theirs) return data({ result: readForm(form, z.object({})).toResult(not_theirs) }, not_theirs.status);
  await requireRecentSignIn(context, url);
  if (!(await deleteIdentity(context, viewer.session))) {
    return data({ result: readForm(form, z.object({})).toResult(errorCatalogue.unavailable.detail) }, 503);
  }
  closeSession(context);
  forgetIntent(context, "follow");
  forgetIntent(context, "form");
  return sayGoodbye(context, true);
}

export default function Registration({ loaderData, actionData }: Route.ComponentProps) {
  const [form, fields] = useForm<{ default_name: string; birth_year: string; guardian_consent: string }>({
    id: "registration",
    lastResult: actionData?.result as SubmissionResult<string[]> | undefined,
    defaultValue: loaderData.written,
  });
  const { to, may_give_up } = loaderData;
  if (actionData && "is_under_age" in actionData) return <UnderAge to={to} may_give_up={may_give_up} />;
  return (
    <div className="page page-narrow">
      <h1 className="page-title">アカウント登録</h1>
      <p className="lead">あと少しで完了です。あなたの表示名を教えてください。</p>
      <PausedNotice feature="registrations" />
      {/* The form posts to its own address with `to`, so that a refused form is shown at the same address. */}
      <form
        method="post"
        id={form.id}
        className="card form"
        noValidate
        // The page after the registration reads this flag. A refused form stays on this page, which does not read it.
        onSubmit={() => showRegisterCompleteModal.write("fan")}
      >
        <HiddenFields to={to} idempotency_key={loaderData.idempotency_key} />
        <FormErrors errors={form.errors} />
        {loaderData.email && (
          <p className="field-hint">
            メールアドレス：<b>{loaderData.email}</b>
          </p>
        )}
        {!loaderData.email && (
          <p className="notice">
            このあと、メールアドレスも登録していただきます。
            <Link to={emailPath(registrationPath(to))}>先に登録する</Link>
          </p>
        )}
        <InputField
          field={fields.default_name}
          label="表示名"
          type="text"
          hint={`ニックネームでかまいません。${NAME_GRAPHEMES}文字まで。`}
          input={{ autoComplete: "nickname" }}
        />
        <InputField
          field={fields.birth_year}
          label="生まれた年（西暦）"
          type="text"
          hint="年齢の確認だけに使い、ほかの人には見せません。登録のあとは変えられません。"
          input={{ inputMode: "numeric", autoComplete: "bday-year", maxLength: 4, placeholder: "例：1998" }}
        />
        <CheckField
          field={fields.guardian_consent}
          label={`保護者の同意を得ています（${AGE_OF_MAJORITY}歳未満の方）`}
          hint="18歳未満の方は、保護者といっしょに利用規約とプライバシーポリシーをお読みください。"
        />
        <Consent beside="/signup" back={registrationPath(to)} />
        <button type="submit" className="button button-lg button-block">
          登録する
        </button>
      </form>
      {may_give_up && (
        <details className="form-aside">
          <summary>登録をやめる</summary>
          <div className="form">
            <p>メールアドレスなど、ログインのためにお預かりした情報を削除します。取り消すことはできません。</p>
            <GiveUp to={to} />
          </div>
        </details>
      )}
    </div>
  );
}

function GiveUp({ to }: { to: string }) {
  return (
    <form method="post">
      <HiddenFields to={to} />
      <Button name="operation" value="give_up" variant="alert-outline">
        アカウントを削除する
      </Button>
    </form>
  );
}

/** Shown in place of the form to people who are too young, because they have nothing to correct. */
function UnderAge({ to, may_give_up }: { to: string; may_give_up: boolean }) {
  return (
    <div className="page page-narrow">
      <h1 className="page-title">{`${MIN_AGE}歳になる年から登録できます`}</h1>
      <section className="card form">
        <p>
          {`登録できるのは、今年${MIN_AGE}歳以上になる方です。入力された生まれた年は保存していません。`}
          登録しなくても、公開されているページはどなたでもご覧いただけます。
        </p>
        <p>
          生まれた年をまちがえたときは、<a href={registrationPath(to)}>アカウント登録</a>からやり直せます。
        </p>
        {may_give_up && (
          <>
            <p>登録されないときは、ログインのためにお預かりした情報を削除できます。</p>
            <GiveUp to={to} />
          </>
        )}
        <form method="post" action="/logout">
          <Button variant="gray-outline">ログアウトする</Button>
        </form>
      </section>
    </div>
  );
}
