import { type SubmissionResult, useForm } from "@conform-to/react";
import { Form, Link, redirect, useNavigation } from "react-router";
import { LINK_ID_CHANGES, LINK_ID_HELD_DAYS } from "../../../../workers/contract/bounds.ts";
import { getProfile, updateProfile } from "../../../../workers/contract/users.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { Author } from "../../../forms/author.tsx";
import { forgetIntent, keptForm } from "../../../forms/intent.ts";
import { readForm } from "../../../forms/read-form.ts";
import { refuseWords, returnWords, wordsOf } from "../../../forms/words.ts";
import { v4Context } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { Button } from "../../../ui/button.tsx";
import { InputField } from "../../../ui/field.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { sendFromBrowser } from "../../../v4/send-from-browser.ts";
import { linkIdForm } from "../../operation-forms.server.ts";
import type { Route } from "./+types/link-id.ts";
import { SettingsPage } from "./settings-page.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ユーザーIDの変更", is_unlisted: true });

const PATH = "/my/settings/link_id";

export async function loader({ context, url }: Route.LoaderArgs) {
  const { user } = await context.get(v4Context).read(getProfile, {});
  const kept = await keptForm(context, PATH);
  const written = { link_id: String(kept?.get("link_id") ?? user.link_id) };
  return { user_id: user.user_id, link_id: user.link_id, written, host: url.host, notes: NOTES };
}

/** The loader passes the words on, which keeps them out of the page's script. */
const NOTES = [
  `これまでのアドレスを開いた人は、${LINK_ID_HELD_DAYS}日のあいだ新しいページへ移ります。そのあいだ、ほかの人がこれまでのユーザーIDを使うことはできません。`,
  `RSSリーダーやポッドキャストのアプリも、${LINK_ID_HELD_DAYS}日のあいだは新しいアドレスへ移ります。ポッドキャストの配信サービスに登録しているときは、そのあいだに新しいアドレスを登録し直してください。`,
  `変えられるのは${LINK_ID_CHANGES.days}日間に${LINK_ID_CHANGES.times}回までです。`,
  "プロフィール欄や名刺など、ほかの場所に書いたアドレスは、ご自身で書き換えてください。",
];

export async function action({ request, context }: Route.ActionArgs) {
  const words = wordsOf(await request.formData(), PATH);
  const read = readForm(words.form, linkIdForm);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const { idempotency_key } = words;
  const sent = await context.get(v4Context).send(updateProfile, { body: read.value, idempotency_key });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  setFlash(context, "link_id_changed");
  return redirect("/my/settings", 303);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function LinkIdSettings({ loaderData, actionData }: Route.ComponentProps) {
  const { user_id, link_id, written, host, notes } = loaderData;
  const lastResult = actionData?.result as SubmissionResult<string[]> | undefined;
  const [form, fields] = useForm<{ link_id: string }>({ id: "link-id", lastResult, defaultValue: written });
  const is_sending = useNavigation().state === "submitting";
  return (
    <SettingsPage title="ユーザーIDの変更">
      <p className="back">
        <Link to="/my/settings">プロフィールへ戻る</Link>
      </p>
      <Form method="post" action={PATH} id={form.id} className="card form" noValidate>
        <FormErrors errors={form.errors} />
        <Author id={user_id} verb="保存" />
        <p>
          いまのページのアドレスは <b className="account-address">{`${host}/${link_id}`}</b> です。
        </p>
        <InputField
          field={fields.link_id}
          label="新しいユーザーID"
          type="text"
          hint="半角の英小文字、数字、アンダーバー（_）で3〜32文字。"
          input={{ autoComplete: "off", autoCapitalize: "none", spellCheck: false, maxLength: 32 }}
        />
        <ul className="plain-notes">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
        <Button aria-disabled={is_sending}>変更する</Button>
      </Form>
    </SettingsPage>
  );
}
