import type { SubmissionResult } from "@conform-to/react";
import { Form, Link, redirect, useNavigation } from "react-router";
import { NG_WORDS, SLOW_MODE_SECONDS } from "../../../workers/contract/bounds.ts";
import { getChatRoom, updateChatRoom } from "../../../workers/contract/radio-chat.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Author } from "../../forms/author.tsx";
import { forgetIntent, keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { useStayingForm } from "../../forms/use-staying-form.ts";
import { refuseWords, returnWords, wordsOf } from "../../forms/words.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/choices.tsx";
import { TextAreaField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { radioPath } from "../creator/radio-path.ts";
import { chatRoomForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/radio-chat.ts";
import { readOwnRadio } from "./radio-action.ts";
import { chatPath, RESTRICTEES_PATH } from "./radio-path.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "チャットの設定", is_unlisted: true });

type Written = Record<"slow_mode_seconds" | "ng_words", string>;

export async function loader({ params, context }: Route.LoaderArgs) {
  const { radio_id } = params;
  const v4 = context.get(v4Context);
  const { user, title } = await readOwnRadio(v4, radio_id);
  const [{ room }, kept] = await Promise.all([
    v4.read(getChatRoom, { params: { radio_id } }),
    keptForm(context, chatPath(radio_id)),
  ]);
  const written: Written = {
    slow_mode_seconds: String(room.slow_mode_seconds),
    ng_words: (room.ng_words ?? []).join("\n"),
    ...(kept && typedFields(kept, chatRoomForm)),
  };
  return {
    path: radioPath({ link_id: user.link_id, radio_id }),
    title,
    written,
    viewer_id: context.get(viewerContext)?.profile?.user_id ?? null,
    idempotency_key: crypto.randomUUID(),
  };
}

export async function action({ request, params, context }: Route.ActionArgs) {
  const { radio_id } = params;
  const words = wordsOf(await request.formData(), chatPath(radio_id));
  const read = readForm(words.form, chatRoomForm);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const { idempotency_key } = words;
  const sent = await context
    .get(v4Context)
    .send(updateChatRoom, { params: { radio_id }, body: read.value, idempotency_key });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  setFlash(context, "settings_saved");
  return redirect(chatPath(radio_id), 303);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

/** The waits that the form offers, in seconds. */
const WAITS = [0, 5, 10, 30, 60, SLOW_MODE_SECONDS];

export default function RadioChatSettings({ loaderData, actionData }: Route.ComponentProps) {
  const { path, title, written, viewer_id } = loaderData;
  const lastResult = actionData?.result as SubmissionResult<string[]> | undefined;
  const [form, fields] = useStayingForm<Written>({ id: "chat", lastResult, defaultValue: written });
  const is_sending = useNavigation().state === "submitting";
  // A wait that another client has set.
  const waits = [...new Set([...WAITS, Number(written.slow_mode_seconds) || 0])].sort((a, b) => a - b);
  return (
    <>
      <p className="back">
        <Link to={path}>「{title}」へ戻る</Link>
      </p>
      <h1 className="page-title">チャットの設定</h1>
      <Form method="post" id={form.id} className="card form" noValidate>
        <FormErrors errors={form.errors} />
        <input type="hidden" name="idempotency_key" value={actionData?.idempotency_key || loaderData.idempotency_key} />
        <Author id={viewer_id} verb="保存" />
        <SelectField
          field={fields.slow_mode_seconds}
          label="ひとりが続けて発言できるまでの時間"
          choices={waits.map((seconds) => ({
            value: String(seconds),
            label: seconds === 0 ? "制限しない" : `${seconds}秒`,
          }))}
        />
        <TextAreaField
          field={fields.ng_words}
          label="NGワード"
          hint={`1行にひとつ、${NG_WORDS}個まで。含む発言は送信できません。全角と半角、大文字と小文字は区別しません。`}
          textarea={{ rows: 6 }}
        />
        <Button aria-disabled={is_sending}>{is_sending ? "保存しています…" : "保存する"}</Button>
      </Form>
      <p>
        <Link to={RESTRICTEES_PATH}>チャットで制限した相手を見る</Link>
      </p>
    </>
  );
}
