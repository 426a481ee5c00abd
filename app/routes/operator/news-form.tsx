import { useRef } from "react";
import { Form, useNavigation } from "react-router";
import { TITLE_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { Author } from "../../forms/author.tsx";
import { BodyField } from "../../post/body-field.tsx";
import { Button } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { LineField } from "./act-form.tsx";
import type { FormState, RefusedAct } from "./operator-page.ts";

export const NEWS_PATH = "/operator/news";

/** The fields of the form, as typed. */
export type NewsValues = Readonly<Record<"title" | "category" | "day" | "body", string>>;

interface NewsFormProps {
  forms: FormState;
  answer: RefusedAct | undefined;
  values: NewsValues;
  idempotency_key: string;
  /** The piece that is edited; null for a new one. */
  saved: { is_published: boolean; updated_at: string } | null;
}

const CATEGORIES = ["お知らせ", "新しい機能", "安全", "メンテナンス"];

/** The form of a piece of news: the post's editor without uploads, and the buttons that save, publish and withdraw. */
export function NewsForm({ forms, answer, values, idempotency_key, saved }: NewsFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const is_sending = useNavigation().state !== "idle";
  const typed: Readonly<Record<string, string>> = { ...values, ...forms.kept, ...answer?.typed };
  const fields = { typed, errors: answer?.errors ?? {} };
  return (
    <Form method="post" className="card form" ref={form} noValidate>
      <FormErrors errors={answer?.error ? [answer.error] : null} answer={answer} />
      <input type="hidden" name="act" value="news" />
      <input type="hidden" name="idempotency_key" value={typed.idempotency_key || idempotency_key} />
      <input type="hidden" name="seen_updated_at" value={typed.seen_updated_at ?? saved?.updated_at ?? ""} />
      <Author id={forms.author} />
      <LineField
        act="news"
        name="title"
        label="タイトル"
        fields={fields}
        input={{ placeholder: `${TITLE_GRAPHEMES}文字まで` }}
      />
      <LineField act="news" name="day" label="日付" fields={fields} input={{ type: "date" }} />
      <div className="field">
        <label htmlFor="news-category">種類</label>
        <select id="news-category" name="category" className="control" defaultValue={typed.category}>
          {CATEGORIES.map((category) => (
            <option key={category}>{category}</option>
          ))}
        </select>
      </div>
      <BodyField
        field={{
          name: "body",
          label: "本文",
          value: typed.body ?? "",
          errors: fields.errors.body ?? undefined,
          hint: "画像と音声は入れられません。URLはリンクになります。",
        }}
        page={{ images: [], media: [] }}
        is_mail
      />
      <div className="form-buttons">
        <Button name="do" value={saved?.is_published ? "publish" : "save"} aria-disabled={is_sending}>
          {saved?.is_published ? "変更を公開する" : "下書きを保存する"}
        </Button>
        {saved?.is_published ? (
          <Button name="do" value="save" variant="gray-outline" aria-disabled={is_sending}>
            取り下げて下書きに戻す
          </Button>
        ) : (
          <>
            <Button name="do" value="preview" variant="gray-outline" aria-disabled={is_sending}>
              保存してプレビューする
            </Button>
            <Button name="do" value="publish" variant="primary-outline" aria-disabled={is_sending}>
              公開する
            </Button>
          </>
        )}
      </div>
    </Form>
  );
}
