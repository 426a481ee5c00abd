import { useEffect, useRef, useState } from "react";
import { Form, useNavigation } from "react-router";
import { TITLE_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import type { Image } from "../../../workers/contract/fields.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { NEWSLETTERS_A_MONTH } from "../../../workers/contract/limits.ts";
import type { NewsletterAudience } from "../../../workers/contract/newsletters.ts";
import { Author } from "../../forms/author.tsx";
import { forgetWords } from "../../forms/forget-words.ts";
import type { ReturnedWords } from "../../forms/words.ts";
import { BodyField } from "../../post/body-field.tsx";
import { attributesOf, Cards, Labelled, type PostField } from "../../post/fields.tsx";
import { Pictures } from "../../post/pictures.tsx";
import { SaveStatus } from "../../post/save-status.tsx";
import { useDesk } from "../../post/use-desk.ts";
import { PausedNotice } from "../../request/paused-notice.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { NEWSLETTERS_PATH } from "./newsletter-path.ts";
import type { NewsletterErrors, NewsletterValues } from "./newsletter-values.ts";

interface NewsletterPage {
  viewer_id: string | null;
  values: NewsletterValues;
  /** The data of the pictures that the form shows. */
  images: Image[];
  plans: { membership_id: string; title: string }[];
  idempotency_key: string;
  /** Null when the API could not count. */
  remaining_count: number | null;
  /** Empty when the API could not count. */
  audiences: NewsletterAudience[];
  /** The newsletter that is edited; null for a new one. */
  saved: {
    id: string;
    status: "draft" | "scheduled" | "published";
    publish_at: string | null;
    updated_at: string;
  } | null;
}

/** The form of a newsletter: the post's editor, its receivers, and the buttons that save, test, schedule and send it. */
export function NewsletterForm({ page, answer }: { page: NewsletterPage; answer: ReturnedWords | undefined }) {
  const form = useRef<HTMLFormElement>(null);
  const { saved, plans, viewer_id } = page;
  const values: NewsletterValues = { ...page.values, ...(answer?.result.initialValue as NewsletterValues | undefined) };
  const errors = (answer?.result.error ?? {}) as NewsletterErrors;
  const is_sending = useNavigation().state === "submitting";
  const is_scheduled = saved?.status === "scheduled";
  // True after the answer to a newsletter without a draft was lost: the newsletter may have been sent.
  const [is_unconfirmed, setUnconfirmed] = useState(false);
  // The audience for which the dialog of sending at once was opened; null before, and without script.
  const [sending_now, setSendingNow] = useState<string | null>(null);
  const [has_date, setHasDate] = useState(values.publish_at !== "");
  const [seen_answer, setSeenAnswer] = useState(answer);
  if (answer !== seen_answer) {
    setSeenAnswer(answer);
    setSendingNow(null);
    if (answer?.is_unconfirmed && !draftIdOf(form.current)) setUnconfirmed(true);
  }
  const may_be_sent = is_unconfirmed && answer?.code !== "idempotency_key_reused";
  const { desk, state, onSubmit } = useDesk(form, {
    // A scheduled newsletter is changed by its buttons alone: half a sentence must not be sent when its time comes. Words that
    // may have been sent are not saved either: their draft would be sent a second time.
    url: is_scheduled || may_be_sent ? null : `${NEWSLETTERS_PATH}/save.json`,
    path: `${NEWSLETTERS_PATH}/{newsletter_id}/edit`,
    answer,
  });
  const first_path = saved ? editPath(saved.id) : `${NEWSLETTERS_PATH}/new`;
  const saved_at = state.kind === "saved" ? state.saved_at : null;
  useEffect(() => {
    // The draft has the words.
    if (saved_at !== null) forgetWords(first_path);
  }, [first_path, saved_at]);
  useEffect(() => {
    const draft_id = draftIdOf(form.current);
    // The router shows the address of an empty form again, which would send the words a second time.
    if (answer && draft_id) history.replaceState(history.state, "", editPath(draft_id));
  }, [answer]);
  const onBack = (_: unknown, is_unconfirmed: boolean) => {
    showInEditor(form.current);
    setHasDate(typedIn(form.current, "publish_at") !== "");
    if (!is_unconfirmed) return;
    desk.current?.holdFor(null);
    setUnconfirmed(true);
  };
  const fieldOf = (name: "title" | "body" | "audience" | "publish_at", label: string, hint?: string): PostField => ({
    name,
    label,
    value: values[name],
    errors: errors[name],
    hint,
  });
  /** Sends an event to the editor and the desk, if they are loaded. */
  const announceToEditor = (name: string, detail: unknown) => {
    form.current?.dispatchEvent(new CustomEvent(name, { detail, cancelable: true }));
  };
  const audiences = [
    audienceOf(page, null, "フォロワー全員", "あなたをフォローしている人に届きます。"),
    ...plans.map(({ membership_id, title }) =>
      audienceOf(page, membership_id, `メンバー（${title}）`, "このプランに加入している人に届きます。"),
    ),
  ];
  // Without script the dialog cannot know which audience is chosen, and names each.
  const named = audiences.filter(({ value }) => sending_now === null || value === sending_now);
  const names = named.map(({ label }) => label).join("、");
  const gets_mail = named.some(({ receivers_count }) => receivers_count !== 0);
  const can_reach = gets_mail || named.some(({ has_readers }) => has_readers);
  const { remaining_count } = page;
  // A schedule for this month has its own place among the four. The API refuses a fifth when the count is unknown here.
  const may_publish = remaining_count !== 0 || is_scheduled;
  const title = fieldOf("title", "タイトル");
  const publish_at = {
    ...fieldOf("publish_at", "配信する日時（日本時間）"),
    // Sending at once needs no date.
    errors: sending_now === null ? errors.publish_at : undefined,
  };
  return (
    <Form ref={form} method="post" id="newsletter-form" className="post-form" noValidate onSubmit={onSubmit}>
      {/* The form's first button, which the Enter key presses. */}
      <button type="submit" name="do" value="save" className="visually-hidden" tabIndex={-1} aria-hidden="true">
        保存する
      </button>
      <Author id={viewer_id} verb="保存" onBack={onBack} />
      <input type="hidden" name="idempotency_key" value={answer?.idempotency_key || page.idempotency_key} />
      {saved && <input type="hidden" name="status" value={saved.status} />}
      <input type="hidden" name="newsletter_id" value={saved?.id ?? ""} />
      <input type="hidden" name="seen_updated_at" value={values.seen_updated_at} />
      <PausedNotice feature="newsletters" />
      <FormErrors errors={errors[""]} answer={answer} />
      {(errors.newsletter_conflict || state.kind === "conflict") && <Conflict saved={saved} />}
      <section className="card form">
        <Labelled {...title}>
          <input
            type="text"
            className="control post-title"
            defaultValue={title.value}
            autoComplete="off"
            placeholder={`${TITLE_GRAPHEMES}文字まで`}
            {...attributesOf(title)}
          />
        </Labelled>
        <BodyField
          field={fieldOf(
            "body",
            "本文",
            "ニュースレターには、音声を入れられません。動画などのURLは、リンクになります。",
          )}
          page={{ images: page.images, media: [] }}
          is_mail
        />
      </section>
      <Pictures
        values={values}
        images={page.images}
        media={[]}
        kind="mail"
        errors={errors}
        onChange={() => desk.current?.touch()}
        onBegun={(file) => announceToEditor("upload-begun", file)}
        onUploaded={(uploaded, file) => {
          announceToEditor("uploaded", { ...uploaded, file });
          desk.current?.touch();
        }}
        onInsert={(mark) => announceToEditor("insert-mark", mark)}
        onRemove={(image_id) => announceToEditor("remove-image", image_id)}
      />
      <section className="card form" aria-labelledby="sending-title">
        <h2 className="section-title" id="sending-title">
          配信の設定
        </h2>
        <Cards {...fieldOf("audience", "届ける相手")} choices={audiences} />
        <Labelled {...publish_at}>
          <input
            type="datetime-local"
            className="control"
            defaultValue={publish_at.value}
            onInput={(event) => setHasDate(event.currentTarget.value !== "")}
            {...attributesOf(publish_at)}
          />
        </Labelled>
        <p className="field-hint">
          {remaining_count !== null && `今月残り ${remaining_count}回。`}
          {`1か月に${NEWSLETTERS_A_MONTH}回まで配信できます。予約は、配信する月の1回に数えます。`}
        </p>
        {!may_publish && (
          <p className="notice">
            {`今月は${NEWSLETTERS_A_MONTH}回の配信が済んでいるため、いますぐ配信することはできません。来月の日時に予約できます。`}
          </p>
        )}
        <div className="form-buttons">
          <Button
            name="do"
            value="schedule"
            variant={has_date || !may_publish ? "primary" : "primary-outline"}
            aria-disabled={is_sending}
          >
            {is_scheduled ? "予約を変更する" : "この日時に予約する"}
          </Button>
          {may_publish && (
            <DialogButton
              dialog="publish-now"
              command="show-modal"
              className={buttonClass({ variant: has_date ? "primary-outline" : "primary" })}
              onClickCapture={() => setSendingNow(typedIn(form.current, "audience"))}
            >
              いますぐ配信する
            </DialogButton>
          )}
          <Button name="do" value="test" variant="gray-outline" aria-disabled={is_sending}>
            自分にテストメールを送る
          </Button>
        </div>
        <Dialog
          id="publish-now"
          title="いますぐ配信しますか？"
          actions={
            can_reach && (
              <Button name="do" value="publish" aria-disabled={is_sending}>
                配信する
              </Button>
            )
          }
        >
          <p>
            {gets_mail
              ? `${named.length > 1 ? `選んだ相手（${names}）` : names}に、お知らせとメールが届きます。${FINAL}`
              : can_reach
                ? `${names}：${NO_MAILS}${FINAL}`
                : `${names}：いまは、読める人がいないため、配信できません。予約はできます。`}
          </p>
        </Dialog>
      </section>
      {saved && <EndButtons saved={saved} is_sending={is_sending} />}
      <div className="post-form-bar">
        {is_scheduled ? (
          <p className="post-status">
            保存：
            <DateTime iso={saved.updated_at} />
          </p>
        ) : may_be_sent ? null : (
          <SaveStatus state={state} saved_at={saved?.updated_at ?? null} />
        )}
        <div className="post-buttons">
          <Button name="do" value="save" variant="gray-outline" aria-disabled={is_sending}>
            {is_scheduled ? "保存する" : "下書き保存"}
          </Button>
          <Button name="do" value="preview" variant="gray-outline" aria-disabled={is_sending}>
            プレビュー
          </Button>
        </div>
      </div>
    </Form>
  );
}

const FINAL = "配信したあとは、変更も取り消しもできません。";
const NO_MAILS = "いまは、メールが届く人がいません。配信すると、届ける相手はサイトで読めます。";

const editPath = (newsletter_id: string) => `${NEWSLETTERS_PATH}/${newsletter_id}/edit`;

/** Returns the choice of an audience, with the number of people who get the mail. */
function audienceOf({ audiences }: NewsletterPage, membership_id: string | null, name: string, note: string) {
  const { receivers_count, has_readers } = audiences.find((audience) => audience.membership_id === membership_id) ?? {};
  const nobody = has_readers ? NO_MAILS : "いまは、読める人がいません。予約はできます。";
  return {
    value: membership_id === null ? "fans" : `memberships:${membership_id}`,
    label: receivers_count === undefined ? name : `${name} ${groupDigits(receivers_count)}人`,
    note: receivers_count === 0 ? `${note}${nobody}` : note,
    receivers_count,
    has_readers,
  };
}

const typedIn = (form: HTMLFormElement | null, name: string) => String((form && new FormData(form).get(name)) ?? "");

/** Returns the id of the newsletter in the form, which a saved draft sets too; empty when there is none. */
const draftIdOf = (form: HTMLFormElement | null) => typedIn(form, "newsletter_id");

/** Shows words that came back into the field in the editor, which covers the field. */
function showInEditor(form: HTMLFormElement | null): void {
  (form?.elements.namedItem("body") as HTMLElement | null)?.dispatchEvent(new Event("set"));
}

/** Shown when another page has changed the newsletter meanwhile. The writer chooses which words to keep. */
function Conflict({ saved }: Pick<NewsletterPage, "saved">) {
  return (
    <div className="banner banner-alert post-conflict" role="alert">
      <p>
        このニュースレターは、別の画面で変更されています。どちらを残しますか？
        いま入力している内容は、この画面に残っています。
      </p>
      <p className="row">
        <Button name="do" value="overwrite" size="sm">
          この画面の内容で保存する
        </Button>
        {saved && (
          <a href={editPath(saved.id)} target="_blank" rel="noreferrer">
            保存されている内容を新しいタブで見る
          </a>
        )}
      </p>
    </div>
  );
}

/** The buttons that cancel the schedule and delete the newsletter, each with a confirmation. */
function EndButtons(props: { saved: NonNullable<NewsletterPage["saved"]>; is_sending: boolean }) {
  const { saved, is_sending } = props;
  return (
    <div className="form-buttons">
      {saved.status === "scheduled" && (
        <>
          <DialogButton dialog="cancel" command="show-modal" className={buttonClass({ variant: "gray-outline" })}>
            予約を取り消す
          </DialogButton>
          <Dialog
            id="cancel"
            title="配信の予約を取り消しますか？"
            actions={
              <Button name="do" value="cancel" aria-disabled={is_sending}>
                取り消して下書きに戻す
              </Button>
            }
          >
            <p>書いた内容は下書きに残ります。今月の残り回数は元に戻ります。</p>
          </Dialog>
        </>
      )}
      <DialogButton dialog="delete" command="show-modal" className={buttonClass({ variant: "alert-outline" })}>
        削除する
      </DialogButton>
      <Dialog
        id="delete"
        title="このニュースレターを削除しますか？"
        actions={
          <Button name="do" value="delete" variant="alert" aria-disabled={is_sending}>
            削除する
          </Button>
        }
      >
        <p>元に戻すことはできません。</p>
      </Dialog>
    </div>
  );
}
