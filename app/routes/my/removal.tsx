import { data, redirect, useFetcher } from "react-router";
import { APPEAL_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { id } from "../../../workers/contract/fields.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { appealRemoval, getRemoval, type Removal } from "../../../workers/contract/reports.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Author } from "../../forms/author.tsx";
import { forgetIntent, keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { type ReturnedWords, refuseWords, returnWords, wordsOf } from "../../forms/words.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import { Button } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { WordsField } from "../../ui/words-field.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { appealForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/removal.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "公開の停止", is_unlisted: true });

/** Something of the member's that operators took down. The notification of it leads here. */
export async function loader({ url, params, context }: Route.LoaderArgs) {
  const { removal_id } = params;
  if (!id.safeParse(removal_id).success) throw data(null, { status: 404 });
  const { removal } = await context.get(v4Context).read(getRemoval, { params: { removal_id } });
  const kept = await keptForm(context, url.pathname);
  return {
    removal,
    viewer_id: context.get(viewerContext)?.profile?.user_id ?? null,
    kept: kept && typedFields(kept, appealForm),
    idempotency_key: crypto.randomUUID(),
  };
}

export async function action({ request, url, params, context }: Route.ActionArgs) {
  const { removal_id } = params;
  if (!id.safeParse(removal_id).success) throw data(null, { status: 404 });
  const words = wordsOf(await request.formData(), url.pathname);
  const read = readForm(words.form, appealForm);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const { idempotency_key } = words;
  const call = { params: { removal_id }, body: read.value, idempotency_key };
  const sent = await context.get(v4Context).send(appealRemoval, call);
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  setFlash(context, "appeal_sent");
  return redirect(url.pathname, 303);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

const SUBJECTS: Record<Removal["subject_type"], string> = {
  event: "投稿",
  event_comment: "コメント",
  ofuse: "ofuse",
  radio_comment: "コメント",
};

export default function RemovalPage({ loaderData, actionData }: Route.ComponentProps) {
  const { removal, viewer_id, kept } = loaderData;
  const { subject_type, subject_text, note, removed_at, given_back_at, appeal } = removal;
  const fetcher = useFetcher<ReturnedWords>();
  const answer = fetcher.data ?? actionData;
  const { error, initialValue } = answer?.result ?? {};
  return (
    <>
      <h1 className="page-title">公開の停止</h1>
      <section className="card form">
        <p>
          {`あなたの${SUBJECTS[subject_type]}は、利用規約にもとづいて、運営が公開を停止しました。`}
          {given_back_at && "いまは、停止を解いて、もとの状態に戻しています。"}
        </p>
        <p className="notice letter-message">{subject_text ?? "（削除されています）"}</p>
        <dl className="facts">
          <div>
            <dt>停止した日時</dt>
            <dd>
              <DateTime iso={removed_at} />
            </dd>
          </div>
          {note && (
            <div>
              <dt>運営より</dt>
              <dd>{note}</dd>
            </div>
          )}
          {given_back_at && (
            <div>
              <dt>もとに戻した日時</dt>
              <dd>
                <DateTime iso={given_back_at} />
              </dd>
            </div>
          )}
        </dl>
      </section>
      <section className="card form">
        <h2 className="section-title">異議の申し出</h2>
        {/* The appeal may have been sent on another page. */}
        {appeal && <FormErrors errors={error?.[""]} answer={answer} />}
        {appeal ? (
          <Appeal {...appeal} />
        ) : given_back_at ? (
          <p>停止は解かれているので、申し出は必要ありません。</p>
        ) : (
          <fetcher.Form method="post" className="form">
            <p className="field-hint">
              停止に納得できないときは、一度だけ、担当者に見直しを頼むことができます。答えは、お知らせに届きます。
            </p>
            <FormErrors errors={error?.[""]} answer={answer} />
            <input type="hidden" name="idempotency_key" value={answer?.idempotency_key || loaderData.idempotency_key} />
            <Author id={viewer_id} />
            <WordsField
              id="message"
              name="message"
              label="異議の内容"
              hint={`${groupDigits(APPEAL_GRAPHEMES)}文字まで。`}
              max_graphemes={APPEAL_GRAPHEMES}
              initial={String((initialValue ?? kept)?.message ?? "")}
              errors={error?.message ?? null}
              textarea={{ rows: 6 }}
            />
            <p className="row">
              <Button aria-disabled={fetcher.state !== "idle"}>異議を申し出る</Button>
            </p>
          </fetcher.Form>
        )}
      </section>
    </>
  );
}

function Appeal({ message, sent_at, decision, note, answered_at }: NonNullable<Removal["appeal"]>) {
  const answers = {
    granted: "申し出を確認し、もとの状態に戻しました。",
    refused: "申し出を確認しましたが、公開の停止を続けることにしました。",
  };
  return (
    <>
      <p className="notice letter-message">{message}</p>
      <p className="row-note">
        <DateTime iso={sent_at} /> に申し出ました
      </p>
      {decision === null ? (
        <p>担当者が確認しています。答えは、お知らせに届きます。</p>
      ) : (
        <>
          <p>
            <b>{answers[decision]}</b>
          </p>
          {note && <p>{`運営より：${note}`}</p>}
          {answered_at && (
            <p className="row-note">
              <DateTime iso={answered_at} /> に答えました
            </p>
          )}
        </>
      )}
    </>
  );
}
