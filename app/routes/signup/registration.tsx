import { type SubmissionResult, useForm } from "@conform-to/react";
import { data, Link, redirect, redirectDocument } from "react-router";
import { z } from "zod";
import { AGE_OF_MAJORITY, MIN_AGE, NAME_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { createProfile, registrationBody, updateProfile } from "../../../workers/contract/users.ts";
import { showRegisterCompleteModal } from "../../browser/stored-keys.ts";
import { readForm } from "../../forms/read-form.ts";
import { isComplete } from "../../middleware/completeness.ts";
import { v4Context, viewerContext } from "../../middleware/context.ts";
import { setFlash } from "../../session/flash.ts";
import { claimLikes } from "../../session/guest.ts";
import { finishFollow } from "../../session/intent.ts";
import { loginPath, safeTo } from "../../session/to.ts";
import type { Handle } from "../../shell/layout.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField } from "../../ui/choices.tsx";
import { InputField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import type { Route } from "./+types/registration.ts";
import { Consent } from "./consent.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "アカウント登録", is_unlisted: true });

/** Nothing beside the form leads away from it. */
export const handle: Handle = { layout: "plain" };

export function loader({ url, context }: Route.LoaderArgs) {
  const to = safeTo(url.searchParams.get("to"));
  const viewer = context.get(viewerContext);
  if (!viewer) throw redirectDocument(loginPath("/signup/registration"));
  if (isComplete(viewer.profile)) throw redirect(to);
  return { to, email: viewer.session.email, idempotency_key: crypto.randomUUID() };
}

/** The year of birth is asked of everybody here; old clients of the API may leave it out. */
const { default_name, birth_year } = registrationBody.shape;
const registrationForm = z.object({
  default_name,
  birth_year: birth_year.unwrap(),
  guardian_consent: z.literal("on").optional(),
});

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const to = safeTo(form.get("to"));
  const viewer = context.get(viewerContext);
  if (!viewer) return redirectDocument(loginPath("/signup/registration"), 303);
  // Telephones write digits in full width, too.
  form.set(
    "birth_year",
    String(form.get("birth_year") ?? "")
      .normalize("NFKC")
      .trim(),
  );
  const read = readForm(form, registrationForm);
  if (!read.value) return data({ result: read.refused() }, 422);
  const { guardian_consent, ...named } = read.value;
  const body = { ...named, ...(guardian_consent ? { guardian_consent: true as const } : {}) };
  const v4 = context.get(v4Context);
  const idempotency_key = String(form.get("idempotency_key") || crypto.randomUUID());
  const operation = viewer.registration === "complete" ? updateProfile : createProfile;
  const sent = await v4.send(operation, { body, idempotency_key });
  if (!sent.ok && sent.refusal.code !== "profile_already_exists") {
    const { code, status } = sent.refusal;
    if (code === "under_age") return data({ result: read.refused(), is_under_age: true }, status);
    // A box that is not ticked is not in the form: its sentence stands beside it all the same.
    if (code === "guardian_consent_required") form.set("guardian_consent", "");
    return data({ result: read.refused(sent.refusal) }, status);
  }
  await claimLikes(context, v4);
  setFlash(context, (await finishFollow(context, v4)) ? "followed" : "registered");
  return redirect(to, 303);
}

export default function Registration({ loaderData, actionData }: Route.ComponentProps) {
  const [form, fields] = useForm<{ default_name: string; birth_year: string; guardian_consent: string }>({
    id: "registration",
    lastResult: actionData?.result as SubmissionResult<string[]> | undefined,
  });
  if (actionData && "is_under_age" in actionData) return <UnderAge />;
  return (
    <div className="page page-narrow">
      <h1 className="page-title">アカウント登録</h1>
      <p className="lead">あと少しで完了です。あなたのお名前を教えてください。</p>
      {/* To its own address, `to` included: a refusal comes back to the same page. */}
      <form
        method="post"
        id={form.id}
        className="card form"
        noValidate
        // Read by the first page after the registration's own: a refusal leads to no other.
        onSubmit={() => showRegisterCompleteModal.write("fan")}
      >
        <FormErrors errors={form.errors} />
        <input type="hidden" name="to" value={loaderData.to} />
        <input type="hidden" name="idempotency_key" value={loaderData.idempotency_key} />
        {loaderData.email && (
          <p className="field-hint">
            メールアドレス：<b>{loaderData.email}</b>
          </p>
        )}
        {!loaderData.email && (
          <p className="notice">
            メールアドレスが登録されていません。<Link to="/signup/register_email">メールアドレスの登録へ</Link>
          </p>
        )}
        <InputField
          field={fields.default_name}
          label="お名前"
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
        <Consent />
        <button type="submit" className="button button-lg button-block">
          登録する
        </button>
      </form>
    </div>
  );
}

/** In the place of the form: there is nothing to mend. */
function UnderAge() {
  return (
    <div className="page page-narrow">
      <h1 className="page-title">{`${MIN_AGE}歳未満の方は登録できません`}</h1>
      <section className="card form">
        <p>
          {`このサービスに登録できるのは${MIN_AGE}歳からです。入力された生まれた年は保存していません。`}
          登録しなくても、公開されているページはどなたでもご覧いただけます。
        </p>
        <p>
          生まれた年をまちがえたときは、<a href="/signup/registration">アカウント登録</a>からやり直せます。
        </p>
        <form method="post" action="/logout">
          <Button variant="gray-outline">ログアウトする</Button>
        </form>
      </section>
    </div>
  );
}
