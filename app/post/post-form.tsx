import type { SubmissionResult } from "@conform-to/react";
import { type FormEvent, type MouseEvent, useEffect, useRef, useState } from "react";
import { Form, Link } from "react-router";
import { TITLE_GRAPHEMES } from "../../workers/contract/bounds.ts";
import { providerNames } from "../../workers/contract/embeds.ts";
import { AUTHOR_FIELD } from "../forms/author-field.ts";
import { Button } from "../ui/button.tsx";
import type { Choice } from "../ui/choices.tsx";
import { DateTime } from "../ui/date-time.tsx";
import { FieldErrors, FormErrors, leadToError } from "../ui/form-errors.tsx";
import { useHydrated } from "../ui/hydrated.ts";
import { BodyField } from "./body-field.tsx";
import type { Desk, SaveState } from "./desk.ts";
import { attributesOf, Cards, Labelled, type PostField } from "./fields.tsx";
import { formPath } from "./form-path.ts";
import { Pictures } from "./pictures.tsx";
import type { PostPage } from "./post-loader.ts";
import { kindOf, type Values } from "./values.ts";

interface Answer {
  result: SubmissionResult<string[]> | null;
  idempotency_key: string | null;
}

/**
 * The form of a post. As HTML every button sends all of it and the page comes back; with a script it saves by itself, and
 * pictures move where they stand. What is sent is the same.
 */
export function PostForm({ page, answer }: { page: PostPage; answer: Answer | undefined }) {
  const form = useRef<HTMLFormElement>(null);
  const desk = useRef<Desk>(null);
  const [state, setState] = useState<SaveState>({ kind: "idle" });
  const result = answer?.result ?? null;
  const values = (result?.initialValue as Values | undefined) ?? page.values;
  const [mended, setMended] = useState<{ result: unknown; names: readonly string[] }>({ result: null, names: [] });
  const named = (result?.error ?? {}) as Record<string, string[] | undefined>;
  /** What is wrong with a field goes when it is changed. */
  const errors = mended.result === result ? without(named, mended.names) : named;
  const mend = ({ target }: FormEvent<HTMLFormElement>) => {
    const name = (target as HTMLInputElement).name ?? "body";
    if (errors[name]) setMended({ result, names: [...(mended.result === result ? mended.names : []), name] });
  };
  const kind = kindOf(values);
  const { draft_id, event, author } = page;
  const revision = values.revision ?? page.revision;
  const event_id = event?.event_id ?? null;
  const action = formPath({ draft_id, event_id, kind });
  const is_conflict = errors.draft_conflict !== undefined || state.kind === "conflict";
  const field = (name: string, label: string, hint?: PostField["hint"]): PostField => ({
    name,
    label,
    value: values[name] ?? "",
    errors: errors[name],
    hint,
  });

  useEffect(() => {
    let is_gone = false;
    import("./desk.ts").then(({ openDesk }) => {
      if (is_gone || !form.current) return;
      desk.current = openDesk(form.current, { draft_id, path: action, onState: setState });
    });
    return () => {
      is_gone = true;
      desk.current?.close();
      desk.current = null;
    };
  }, [draft_id, action]);
  // What was sent came back: there is something to save again, and the first thing that is wrong is where the writer goes on.
  useEffect(() => {
    is_asked.current = false;
    if (!answer) return;
    desk.current?.goOn();
    leadToError(form.current);
  }, [answer]);

  /** The writer was asked, and goes on without the files that are still on their way. */
  const is_asked = useRef(false);
  const isUploading = () => !is_asked.current && form.current?.querySelector(".upload-list progress") != null;

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    const { submitter } = event.nativeEvent as SubmitEvent;
    const open = desk.current;
    if (!open) return;
    if (submitter?.getAttribute("value") === "save") {
      event.preventDefault();
      open.save();
      return;
    }
    if (isUploading()) {
      is_asked.current = confirm("まだ送信中のファイルがあります。そのファイルを除いて進みますか？");
      if (!is_asked.current) {
        event.preventDefault();
        return;
      }
    }
    if (!open.holdFor(submitter)) event.preventDefault();
  };
  const insert = (mark: string) =>
    form.current?.dispatchEvent(new CustomEvent("insert-mark", { detail: mark, cancelable: true }));

  return (
    <Form
      ref={form}
      method="post"
      action={action}
      id="post-form"
      className="post-form"
      noValidate
      onSubmit={onSubmit}
      onInput={mend}
    >
      {/* What the Enter key presses: it harms nothing. */}
      <button type="submit" name="do" value="save" className="visually-hidden" tabIndex={-1} aria-hidden="true">
        下書き保存
      </button>
      <input type="hidden" name={AUTHOR_FIELD} value={author} />
      <input type="hidden" name="draft_id" value={draft_id} />
      <input type="hidden" name="revision" value={revision} />
      {event_id && <input type="hidden" name="event_id" value={event_id} />}
      <input type="hidden" name="kind" value={kind} />
      {values.seen_updated_at !== undefined && (
        <input type="hidden" name="seen_updated_at" value={values.seen_updated_at} />
      )}
      <input type="hidden" name="idempotency_key" value={answer?.idempotency_key ?? page.idempotency_key} />
      <FormErrors errors={errors[""]} />
      {is_conflict && (
        <Conflict path={action} onOverwrite={desk.current ? () => desk.current?.overwrite() : undefined} />
      )}
      {errors.event_conflict && event && <Outdated path={`/${event.link_id}/events/${event.event_id}`} />}

      <section className="card form">
        <Labelled {...field("title", "タイトル")}>
          <input
            type="text"
            className="control post-title"
            defaultValue={values.title ?? ""}
            autoComplete="off"
            placeholder={`${TITLE_GRAPHEMES}文字まで`}
            {...attributesOf(field("title", "タイトル"))}
          />
        </Labelled>
        {kind === "video" && <VideoSource field={field("video_url", "動画のURL", <VideoHint />)} />}
        {kind === "image" || kind === "video" ? null : <BodyField field={field("body", "本文")} page={page} />}
      </section>
      <Pictures
        values={values}
        images={page.images}
        media={page.media}
        kind={kind}
        errors={errors}
        onChange={() => desk.current?.touch()}
        onBegun={(file) => form.current?.dispatchEvent(new CustomEvent("upload-begun", { detail: file }))}
        onUploaded={(uploaded, file) => {
          form.current?.dispatchEvent(new CustomEvent("uploaded", { detail: { ...uploaded, file } }));
          desk.current?.touch();
        }}
        onInsert={insert}
        onRemove={(image_id) => form.current?.dispatchEvent(new CustomEvent("remove-image", { detail: image_id }))}
      />
      {(kind === "image" || kind === "video") && (
        <section className="card form">
          <BodyField field={field("body", "説明（任意）")} page={page} is_brief />
        </section>
      )}
      <Settings page={page} field={field} />
      {errors.unplaced && <Unplaced sentence={errors.unplaced.join(" ")} />}
      <div className="post-form-bar">
        <Status state={state} saved_at={page.saved_at} onRetry={() => desk.current?.save()} />
        <div className="post-buttons">
          <Button name="do" value="save" variant="gray-outline">
            下書き保存
          </Button>
          <Button name="do" value="preview" variant="gray-outline">
            プレビュー
          </Button>
          <Button name="do" value="publish">
            <PublishWord now={event?.status === "published" ? "更新する" : "公開する"} />
          </Button>
        </div>
      </div>
    </Form>
  );
}

/** What the button does, by the chosen 公開のしかた. */
function PublishWord({ now = "公開する" }: { now?: string }) {
  return (
    <>
      <span className="when-now">{now}</span>
      <span className="when-at">予約する</span>
      <span className="when-private">保存する</span>
    </>
  );
}

/** Asks about uploads that stand nowhere in the text: without an answer nothing is published. */
function Unplaced({ sentence }: { sentence: string }) {
  return (
    <div className="banner banner-alert post-conflict post-question" role="alert">
      <p>{sentence}本文に入れないと、読む人には表示されません。</p>
      <p className="row">
        <Button name="do" value="publish_appended" size="sm">
          <span>
            末尾に入れて
            <PublishWord />
          </span>
        </Button>
        <Button name="do" value="publish_without" size="sm" variant="gray-outline">
          <span>
            入れずに
            <PublishWord />
          </span>
        </Button>
      </p>
    </div>
  );
}

const without = <Value,>(record: Record<string, Value>, names: readonly string[]): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

const VideoHint = () => (
  <>{providerNames("video").join("、")}の動画ページのURLです。ファイルは、下の「ファイル」からアップロードできます。</>
);

function VideoSource({ field }: { field: PostField }) {
  return (
    <Labelled {...field}>
      <input
        type="url"
        className="control"
        defaultValue={field.value}
        placeholder="https://www.youtube.com/watch?v=…"
        autoComplete="off"
        {...attributesOf(field)}
      />
    </Labelled>
  );
}

function Settings(props: {
  page: PostPage;
  field: (name: string, label: string, hint?: PostField["hint"]) => PostField;
}) {
  const { page, field } = props;
  const { categories, plans, event } = page;
  const category = field(
    "event_category_id",
    "カテゴリー",
    <Link to="/my/posts/categories">カテゴリーを管理する</Link>,
  );
  const publish_at = field("publish_at", "公開する日時（日本時間）");
  const scopes: Choice[] = [
    { value: "public", label: "全員に公開", note: "だれでも読めます。" },
    { value: "fans", label: "フォロワー限定", note: "あなたをフォローしている人が読めます。" },
    ...plans.map(({ membership_id, title }) => ({
      value: `memberships:${membership_id}`,
      label: `メンバー限定（${title}）`,
      note: "このプランに参加している人が読めます。",
    })),
  ];
  const whens: Choice[] = [
    {
      value: "now",
      label: event?.status === "published" ? "公開したまま更新する" : "いますぐ公開する",
    },
    ...(event?.status === "published" ? [] : [{ value: "at", label: "日時を決めて公開する" }]),
    { value: "private", label: "非公開にする", note: "あなただけが見られます。" },
  ];
  return (
    <section className="card form" aria-labelledby="settings-title">
      <h2 className="section-title" id="settings-title">
        公開の設定
      </h2>
      <Cards {...field("visibility", "公開範囲")} choices={scopes} />
      <Cards {...field("when", "公開のしかた")} choices={whens}>
        <div className="field when-at">
          <label htmlFor="post-publish_at">{publish_at.label}</label>
          <input
            type="datetime-local"
            className="control"
            defaultValue={publish_at.value}
            {...attributesOf(publish_at)}
          />
          <FieldErrors errors={publish_at.errors} id="post-publish_at-error" />
        </div>
      </Cards>
      <Labelled {...category}>
        <select className="control" defaultValue={category.value} {...attributesOf(category)}>
          <option value="">カテゴリーなし</option>
          {categories.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </Labelled>
      <Labelled {...field("comment_filter", "コメント")}>
        <select
          className="control"
          defaultValue={field("comment_filter", "").value || "all"}
          {...attributesOf(field("comment_filter", ""))}
        >
          <option value="all">受け付ける</option>
          <option value="paid_only">有料コメントだけ受け付ける</option>
          <option value="none">受け付けない</option>
        </select>
      </Labelled>
    </section>
  );
}

/** Another page saved the draft meanwhile: whose words are to stand is the writer's to say. */
function Conflict({ path, onOverwrite }: { path: string; onOverwrite: (() => void) | undefined }) {
  const overwrite = (event: MouseEvent) => {
    if (!onOverwrite) return;
    event.preventDefault();
    onOverwrite();
  };
  return (
    <div className="banner banner-alert post-conflict" role="alert">
      <p>
        この下書きは、別の画面でも保存されています。どちらを残しますか？
        いま入力している内容は、この画面に残っています。
      </p>
      <p className="row">
        <Button name="do" value="overwrite" size="sm" onClick={overwrite}>
          この画面の内容で保存する
        </Button>
        <a href={path} target="_blank" rel="noreferrer">
          保存されている内容を新しいタブで見る
        </a>
      </p>
    </div>
  );
}

/** Another page has changed the post since these words were begun. */
function Outdated({ path }: { path: string }) {
  return (
    <div className="banner banner-alert post-conflict" role="alert">
      <p>
        この投稿は、別の画面で変更されています。どちらを残しますか？ いま入力している内容は、この画面に残っています。
      </p>
      <p className="row">
        <Button name="do" value="publish_over" size="sm">
          この画面の内容で更新する
        </Button>
        <a href={path} target="_blank" rel="noreferrer">
          いまの投稿を新しいタブで見る
        </a>
      </p>
    </div>
  );
}

const clock = new Intl.DateTimeFormat("ja-JP", {
  timeZone: "Asia/Tokyo",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** How the words are: read out when it changes. */
function Status({ state, saved_at, onRetry }: { state: SaveState; saved_at: string | null; onRetry: () => void }) {
  const is_alive = useHydrated();
  const retry = (
    <button type="button" className="button button-gray-outline button-sm" onClick={onRetry}>
      もう一度保存する
    </button>
  );
  if (state.kind === "failed") {
    return (
      <div className="post-status post-status-alert" role="status">
        {state.detail}
        {retry}
      </div>
    );
  }
  if (state.kind === "signed_out") {
    return (
      <div className="post-status post-status-alert" role="status">
        <span>
          ログインの有効期限が切れました。内容はこの画面に残っています。
          <a href="/login?to=%2Fmy%2Fposts" target="_blank" rel="noreferrer">
            新しいタブでログイン
          </a>
          してから、もう一度保存してください。
        </span>
        {retry}
      </div>
    );
  }
  return (
    <div className="post-status" role="status">
      {state.kind === "saving" && "保存しています…"}
      {state.kind === "saved" && `下書きを保存しました ${clock.format(new Date(state.saved_at))}`}
      {state.kind === "idle" && !saved_at && is_alive && "書いた内容は自動で下書きに保存されます"}
      {state.kind === "idle" && saved_at && (
        <span>
          下書きの続きです（
          <DateTime iso={saved_at} /> に保存）
        </span>
      )}
    </div>
  );
}
