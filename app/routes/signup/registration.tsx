import { useForm } from "@conform-to/react";
import { data, Link, redirect, redirectDocument } from "react-router";
import type { z } from "zod";
import { NAME_GRAPHEMES } from "../../../workers/contract/bounds.ts";
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

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const to = safeTo(form.get("to"));
  const viewer = context.get(viewerContext);
  if (!viewer) return redirectDocument(loginPath("/signup/registration"));
  const read = readForm(form, registrationBody);
  if (!read.value) return data({ result: read.refused() }, 422);
  const v4 = context.get(v4Context);
  const idempotency_key = String(form.get("idempotency_key") || crypto.randomUUID());
  const operation = viewer.registration === "complete" ? updateProfile : createProfile;
  const sent = await v4.send(operation, { body: read.value, idempotency_key });
  if (!sent.ok && sent.refusal.code !== "profile_already_exists") {
    return data({ result: read.refused(sent.refusal) }, sent.refusal.status);
  }
  await claimLikes(context, v4);
  setFlash(context, (await finishFollow(context, v4)) ? "followed" : "registered");
  return redirect(to, 303);
}

export default function Registration({ loaderData, actionData }: Route.ComponentProps) {
  const [form, fields] = useForm<z.infer<typeof registrationBody>>({
    id: "registration",
    lastResult: actionData?.result,
  });
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
        <Consent />
        <button type="submit" className="button button-lg button-block">
          登録する
        </button>
      </form>
    </div>
  );
}
