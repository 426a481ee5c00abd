import { type SubmissionResult, useForm } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import { data, Form, Link, redirect } from "react-router";
import { z } from "zod";
import { getProfile, updateProfile } from "../../../workers/contract/users.ts";
import { v4Context } from "../../middleware/context.ts";
import { setFlash } from "../../session/flash.ts";
import { closeSession } from "../../session/sign-in.ts";
import { loginPath } from "../../session/to.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { Button } from "../../ui/button.tsx";
import { FormErrors, InputField, TextAreaField } from "../../ui/field.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import type { Route } from "./+types/settings.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "設定", is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  const { user } = await context.get(v4Context).read(getProfile, {});
  const { name, bio, email, link_id, is_creator, accepts_free_ofuses } = user;
  return { name, bio, email, link_id, is_creator, accepts_free_ofuses };
}

/** An empty field is no field to conform; here it is a word that is taken away. */
const written = {
  name: updateProfile.body.shape.name.unwrap(),
  bio: z.string().default("").pipe(updateProfile.body.shape.bio.unwrap()),
};

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const submission = parseWithZod(form, { schema: z.object(written) });
  if (submission.status !== "success") return data({ result: submission.reply() }, 422);
  const v4 = context.get(v4Context);
  // Shown to creators alone: for everybody else it stays as it is.
  const free = form.has("has_free_ofuses") ? { accepts_free_ofuses: form.has("accepts_free_ofuses") } : {};
  const sent = await v4.send(updateProfile, { body: { ...submission.value, ...free } });
  if (sent.ok) {
    setFlash(context, "settings_saved");
    return redirect("/my/settings", 303);
  }
  const { status, detail, fields, needs_sign_in } = sent.refusal;
  if (needs_sign_in) {
    closeSession(context);
    return redirect(loginPath("/my/settings"), 303);
  }
  const has_fields = Object.keys(fields).length > 0;
  const reply = has_fields ? { fieldErrors: fields } : { formErrors: [detail] };
  return data({ result: submission.reply(reply) }, status);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

interface Fields extends Record<string, unknown> {
  name: string;
  bio: string;
}

export default function Settings({ loaderData, actionData }: Route.ComponentProps) {
  const { name, bio, email, link_id, is_creator, accepts_free_ofuses } = loaderData;
  const lastResult = actionData?.result as SubmissionResult<string[]> | undefined;
  const [form, fields] = useForm<Fields>({ id: "settings", lastResult, defaultValue: { name, bio } });
  return (
    <>
      <h1 className="page-title">設定</h1>
      <Form method="post" id={form.id} className="card form" noValidate>
        <h2 className="section-title">プロフィール</h2>
        <FormErrors errors={form.errors} />
        <InputField
          field={fields.name}
          label="表示名"
          type="text"
          hint="50文字まで。"
          input={{ autoComplete: "nickname" }}
        />
        <TextAreaField field={fields.bio} label="自己紹介" hint="1,000文字まで。" />
        {is_creator && (
          <label className="check">
            <input type="hidden" name="has_free_ofuses" value="yes" />
            <input type="checkbox" name="accepts_free_ofuses" defaultChecked={accepts_free_ofuses} />
            無料のofuseを受け取る
          </label>
        )}
        <Button>保存する</Button>
      </Form>
      <section className="card form">
        <h2 className="section-title">アカウント</h2>
        <dl className="facts">
          <div>
            <dt>ページの名前</dt>
            <dd>
              <Link to={`/${link_id}`}>@{link_id}</Link>
            </dd>
          </div>
          <div>
            <dt>メールアドレス</dt>
            <dd>{email}</dd>
          </div>
          <div>
            <dt>収益化</dt>
            <dd>{is_creator ? "登録済み" : <Link to="/signup/monetize">登録する</Link>}</dd>
          </div>
        </dl>
        <p className="field-hint">ページの名前、アイコン、外部リンク、ジャンルの変更と、退会は準備中です。</p>
      </section>
    </>
  );
}
