import type { SubmissionResult } from "@conform-to/react";
import { type FormEvent, useRef, useState } from "react";
import { Form } from "react-router";
import { TITLE_GRAPHEMES } from "../../workers/contract/bounds.ts";
import { providerNames } from "../../workers/contract/embeds.ts";
import { AUTHOR_FIELD } from "../forms/author-field.ts";
import { Button } from "../ui/button.tsx";
import { FormErrors } from "../ui/form-errors.tsx";
import { BodyField } from "./body-field.tsx";
import type { SaveState } from "./draft-saver.ts";
import { attributesOf, Labelled, type PostField } from "./fields.tsx";
import { formPath } from "./form-path.ts";
import { Pictures } from "./pictures.tsx";
import type { PostPage } from "./post-loader.ts";
import { DraftConflict, OutdatedPost, PublishedPost, PublishWord, UnplacedUploads } from "./post-questions.tsx";
import { PostSettings } from "./post-settings.tsx";
import { SaveStatus } from "./save-status.tsx";
import { useDesk } from "./use-desk.ts";
import { kindOf, type PostKind, type Values } from "./values.ts";

interface Answer {
  result: SubmissionResult<string[]> | null;
  idempotency_key: string | null;
}

/**
 * The form of a post. Without JavaScript, every button sends the whole form and the page reloads. With JavaScript, the
 * form saves itself, and pictures move in place. Both send the same data.
 */
export function PostForm({ page, answer }: { page: PostPage; answer: Answer | undefined }) {
  const form = useRef<HTMLFormElement>(null);
  const result = answer?.result ?? null;
  const values = (result?.initialValue as Values | undefined) ?? page.values;
  const { errors, onInput } = useMendedErrors(result);
  const kind = kindOf(values);
  const { draft_id, event } = page;
  const action = formPath({ draft_id, event_id: event?.event_id ?? null, kind });
  const { desk, state, onSubmit } = useDesk(form, {
    url: `/my/posts/drafts/${draft_id}/save.json`,
    path: action,
    answer,
  });
  const fieldOf: FieldOf = (name, label, hint) => ({
    name,
    label,
    value: values[name] ?? "",
    errors: errors[name],
    hint,
  });
  /** Sends an event to the editor and the desk, if they are loaded. */
  const announceToEditor = (name: string, detail: unknown) => {
    form.current?.dispatchEvent(new CustomEvent(name, { detail, cancelable: true }));
  };

  return (
    <Form
      ref={form}
      method="post"
      action={action}
      id="post-form"
      className="post-form"
      noValidate
      onSubmit={onSubmit}
      onInput={onInput}
    >
      <HiddenFields page={page} values={values} kind={kind} idempotency_key={answer?.idempotency_key ?? null} />
      <FormErrors errors={errors[""]} />
      {(errors.draft_conflict || state.kind === "conflict") && (
        <DraftConflict path={action} onOverwrite={desk.current ? () => desk.current?.overwrite() : undefined} />
      )}
      <PublishedPost of={state.kind === "published" ? [state.detail, state.path] : errors.draft_published} />
      {errors.event_conflict && event && <OutdatedPost path={`/${event.link_id}/events/${event.event_id}`} />}
      <Words field={fieldOf} kind={kind} page={page} />
      <Pictures
        values={values}
        images={page.images}
        media={page.media}
        kind={kind}
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
      {hasBriefBody(kind) && (
        <section className="card form">
          <BodyField field={fieldOf("body", "説明（任意）")} page={page} is_brief />
        </section>
      )}
      <PostSettings page={page} field={fieldOf} />
      {errors.unplaced && <UnplacedUploads sentence={errors.unplaced.join(" ")} />}
      <ButtonBar page={page} state={state} />
    </Form>
  );
}

/** Makes a field of the form: its value and its errors. */
type FieldOf = (name: string, label: string, hint?: PostField["hint"]) => PostField;

/** Posts of pictures and videos have a short text below the files. */
const hasBriefBody = (kind: PostKind) => kind === "image" || kind === "video";

/** Shows the errors of the answer. Each error disappears when its field is changed. */
function useMendedErrors(result: Answer["result"]) {
  const [mended, setMended] = useState<{ result: unknown; names: readonly string[] }>({ result: null, names: [] });
  const named = (result?.error ?? {}) as Record<string, string[] | undefined>;
  const names = mended.result === result ? mended.names : [];
  const errors = without(named, names);
  const onInput = ({ target }: FormEvent<HTMLFormElement>) => {
    // The editor's element has no name, so its events count for the body field.
    const name = (target as HTMLInputElement).name ?? "body";
    if (errors[name]) setMended({ result, names: [...names, name] });
  };
  return { errors, onInput };
}

const without = <Value,>(record: Record<string, Value>, names: readonly string[]): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** The state of the draft and the buttons that save, preview and publish the post. */
function ButtonBar({ page, state }: { page: PostPage; state: SaveState }) {
  return (
    <div className="post-form-bar">
      <SaveStatus state={state} saved_at={page.saved_at} />
      <div className="post-buttons">
        <Button name="do" value="save" variant="gray-outline">
          下書き保存
        </Button>
        <Button name="do" value="preview" variant="gray-outline">
          プレビュー
        </Button>
        <Button name="do" value="publish">
          <PublishWord now={page.event?.status === "published" ? "更新する" : "公開する"} />
        </Button>
      </div>
    </div>
  );
}

/** The hidden fields. The first button is the one that the Enter key presses; it only saves. */
function HiddenFields(props: { page: PostPage; values: Values; kind: PostKind; idempotency_key: string | null }) {
  const { page, values, kind } = props;
  const fields = {
    [AUTHOR_FIELD]: page.author,
    draft_id: page.draft_id,
    revision: values.revision ?? page.revision,
    event_id: page.event?.event_id,
    kind,
    seen_updated_at: values.seen_updated_at,
    idempotency_key: props.idempotency_key ?? page.idempotency_key,
  };
  return (
    <>
      <button type="submit" name="do" value="save" className="visually-hidden" tabIndex={-1} aria-hidden="true">
        下書き保存
      </button>
      {Object.entries(fields).map(
        ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
      )}
    </>
  );
}

/** The title, and the text fields for this type of post. */
function Words({ field, kind, page }: { field: FieldOf; kind: PostKind; page: PostPage }) {
  const title = field("title", "タイトル");
  return (
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
      {kind === "video" && <VideoSource field={field("video_url", "動画のURL", <VideoHint />)} />}
      {!hasBriefBody(kind) && <BodyField field={field("body", "本文")} page={page} />}
    </section>
  );
}

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
