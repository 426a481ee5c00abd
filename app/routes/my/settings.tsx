import { type SubmissionResult, useForm } from "@conform-to/react";
import { Form, Link, redirect } from "react-router";
import { z } from "zod";
import { getProfile, updateProfile } from "../../../workers/contract/users.ts";
import { readForm } from "../../forms/read-form.ts";
import { refuseWords, returnWords, wordsOf } from "../../forms/words.ts";
import { v4Context } from "../../middleware/context.ts";
import { AUTHOR_FIELD } from "../../session/author-field.ts";
import { setFlash } from "../../session/flash.ts";
import { forgetIntent, keptForm } from "../../session/intent.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { type Feature, isReady } from "../../site/features.ts";
import { Button } from "../../ui/button.tsx";
import { InputField, TextAreaField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import type { Route } from "./+types/settings.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "設定", is_unlisted: true });

const { name, bio } = updateProfile.body.shape;
const settingsForm = z.object({ name: name.unwrap(), bio });

export async function loader({ context }: Route.LoaderArgs) {
  const { user } = await context.get(v4Context).read(getProfile, {});
  const { user_id, email, link_id, is_creator, accepts_free_ofuses } = user;
  // What was typed before signing in again comes before what is stored.
  const kept = await keptForm(context, PATH);
  const written = { name: String(kept?.get("name") ?? user.name), bio: String(kept?.get("bio") ?? user.bio) };
  return { user_id, email, link_id, is_creator, accepts_free_ofuses, written };
}

const PATH = "/my/settings";

export async function action({ request, context }: Route.ActionArgs) {
  const words = wordsOf(await request.formData(), PATH, "bio");
  const { form, idempotency_key } = words;
  const read = readForm(form, settingsForm);
  if (!read.value) return returnWords(words, read.refused(), 422);
  // An empty field is no field to the form; here it is a word that is taken away.
  const { name, bio = "" } = read.value;
  // Shown to creators alone: for everybody else it stays as it is.
  const free = form.has("has_free_ofuses") ? { accepts_free_ofuses: form.has("accepts_free_ofuses") } : {};
  const sent = await context.get(v4Context).send(updateProfile, { body: { name, bio, ...free }, idempotency_key });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  setFlash(context, "settings_saved");
  return redirect(PATH, 303);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

const changes: [Feature, string][] = [
  ["link_id_change", "ユーザーIDの変更"],
  ["icon_and_cover", "アイコンとカバー画像"],
  ["links_and_genres", "外部リンクとジャンル"],
  ["notification_kinds", "種類ごとのお知らせの設定"],
  ["leaving", "退会"],
];
const unready = changes.filter(([feature]) => !isReady(feature)).map(([, words]) => words);

interface Fields extends Record<string, unknown> {
  name: string;
  bio: string;
}

export default function Settings({ loaderData, actionData }: Route.ComponentProps) {
  const { user_id, email, link_id, is_creator, accepts_free_ofuses, written } = loaderData;
  const lastResult = actionData?.result as SubmissionResult<string[]> | undefined;
  const [form, fields] = useForm<Fields>({ id: "settings", lastResult, defaultValue: written });
  return (
    <>
      <h1 className="page-title">設定</h1>
      <Form method="post" id={form.id} className="card form" noValidate>
        <h2 className="section-title">プロフィール</h2>
        <FormErrors errors={form.errors} />
        <input type="hidden" name={AUTHOR_FIELD} value={user_id} />
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
            <dt>ユーザーID</dt>
            <dd>
              <Link to={`/${link_id}`}>@{link_id}</Link>
            </dd>
          </div>
          <div>
            <dt>メールアドレス</dt>
            <dd>{email}</dd>
          </div>
          <div>
            <dt>収益化登録</dt>
            <dd>{is_creator ? "登録済み" : <Link to="/signup/monetize">登録する</Link>}</dd>
          </div>
        </dl>
        <ul className="settings-links">
          <li>
            <Link to="/my/settings/reactions">リアクション（届いたときのお礼の言葉）</Link>
          </li>
          <li>
            <Link to="/my/settings/blocks">ブロックした相手</Link>
          </li>
        </ul>
        {unready.length > 0 && <p className="field-hint">{`${unready.join("、")}は準備中です。`}</p>}
      </section>
    </>
  );
}
