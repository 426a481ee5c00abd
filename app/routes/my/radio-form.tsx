import type { SubmissionResult } from "@conform-to/react";
import type { ReactNode } from "react";
import { Form, Link, useNavigation, useRouteLoaderData } from "react-router";
import { RADIO_DESCRIPTION_GRAPHEMES, TITLE_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import type { Radio } from "../../../workers/contract/radios.ts";
import { Author } from "../../forms/author.tsx";
import { useStayingForm } from "../../forms/use-staying-form.ts";
import type { ReturnedWords } from "../../forms/words.ts";
import type { loader as rootLoader } from "../../root.tsx";
import { Button } from "../../ui/button.tsx";
import { CheckField, RadioCards, SelectField } from "../../ui/choices.tsx";
import { InputField, TextAreaField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { editPath, onAirPath, picturePath, RADIO_PATH } from "./radio-path.ts";

/** The fields of the form, as typed. */
export type WrittenRadio = Record<
  | "title"
  | "description"
  | "publish_target_type"
  | "recording_publish_target_type"
  | "publish_target_membership_id"
  | "starts_at"
  | "is_chat_on"
  | "transcript"
  | "seen_updated_at",
  string
>;

export const NO_RADIO: WrittenRadio = {
  title: "",
  description: "",
  publish_target_type: "public",
  recording_publish_target_type: "none",
  publish_target_membership_id: "",
  starts_at: "",
  is_chat_on: "on",
  transcript: "",
  seen_updated_at: "",
};

const AUDIENCES = [
  { value: "public", label: "全員", note: "だれでも聴けます。" },
  { value: "fans", label: "フォロワー限定", note: "あなたをフォローしている人が聴けます。" },
  { value: "memberships", label: "メンバー限定", note: "下で選ぶプランに加入している人が聴けます。" },
  { value: "url", label: "URLを知っている人", note: "保存すると、聴くためのURLが表示されます。一覧には出ません。" },
];
const RECORDING_AUDIENCES = [{ value: "none", label: "自分だけ", note: "録音はだれにも公開しません。" }, ...AUDIENCES];

/** The form of a new radio, or of `radio`. The pressed button's `do` says what happens: save, rotate or delete. */
export function RadioForm(props: {
  title: string;
  radio: Radio | null;
  plans: { membership_id: string; title: string }[];
  viewer_id: string | null;
  written: WrittenRadio;
  idempotency_key: string;
  answer: ReturnedWords | undefined;
  /** Whether the transcript is not saved yet, and has the captions of the broadcast. */
  is_from_captions?: boolean;
  /** Parts that only a saved radio has, such as a button to delete it. */
  children?: ReactNode;
}) {
  const { title, radio, plans, viewer_id, written, answer } = props;
  const lastResult = answer?.result as SubmissionResult<string[]> | undefined;
  const [form, fields] = useStayingForm<WrittenRadio>({ id: "radio", lastResult, defaultValue: written });
  const typed = lastResult?.initialValue;
  const is_sending = useNavigation().state === "submitting";
  const may_make_plans = useRouteLoaderData<typeof rootLoader>("root")?.viewer?.is_creator;
  // Without a plan, nothing could be chosen for members. The last plan may be gone since the form was opened; the select then
  // shows the error.
  const offered = (choices: typeof AUDIENCES) =>
    choices.filter(({ value }) => value !== "memberships" || plans.length > 0);
  const is_for_key_holders = radio && [radio.publish_target_type, radio.recording_publish_target_type].includes("url");
  return (
    <>
      <p className="back">
        {radio ? (
          <Link to={onAirPath(radio.radio_id)} reloadDocument>
            放送の画面へ戻る
          </Link>
        ) : (
          <Link to={RADIO_PATH}>ラジオの一覧へ戻る</Link>
        )}
      </p>
      <h1 className="page-title">{title}</h1>
      <Form method="post" id={form.id} className="card form" noValidate>
        {/* The form's first button, which the Enter key presses. */}
        <button type="submit" name="do" value="save" className="visually-hidden" tabIndex={-1} aria-hidden="true">
          保存する
        </button>
        <FormErrors errors={form.errors} />
        {radio && answer?.code === "radio_conflict" && <Conflict radio_id={radio.radio_id} />}
        <input type="hidden" name="idempotency_key" value={answer?.idempotency_key || props.idempotency_key} />
        {/* A refused form keeps its version, because its words are still based on that one. */}
        <input type="hidden" name="seen_updated_at" value={String(typed?.seen_updated_at ?? written.seen_updated_at)} />
        <Author id={viewer_id} verb="保存" />
        <InputField
          field={fields.title}
          label="タイトル"
          type="text"
          hint={`${TITLE_GRAPHEMES}文字まで。`}
          input={{ autoComplete: "off" }}
        />
        <TextAreaField
          field={fields.description}
          label="説明（任意）"
          max_graphemes={RADIO_DESCRIPTION_GRAPHEMES}
          textarea={{ rows: 4 }}
        />
        {radio && radio.status !== "scheduled" ? (
          <input type="hidden" name="starts_at" value={written.starts_at} />
        ) : (
          <InputField
            field={fields.starts_at}
            label="放送の予定（日本時間、任意）"
            type="datetime-local"
            hint="予定の時刻になっても、自動では始まりません。"
          />
        )}
        <RadioCards field={fields.publish_target_type} label="放送を聴ける人" choices={offered(AUDIENCES)} />
        <RadioCards
          field={fields.recording_publish_target_type}
          label="録音を聴ける人"
          hint="放送のあとで、いつでも変えられます。"
          choices={offered(RECORDING_AUDIENCES)}
        />
        {plans.length > 0 || fields.publish_target_membership_id.errors ? (
          <SelectField
            field={fields.publish_target_membership_id}
            label="プラン（メンバー限定のとき）"
            placeholder="選ばない"
            choices={plans.map(({ membership_id, title }) => ({ value: membership_id, label: title }))}
          />
        ) : (
          may_make_plans && (
            <p className="field-hint">
              <Link to="/my/memberships/new">プランを作る</Link>と、加入した人だけが聴けるラジオにもできます。
            </p>
          )
        )}
        {radio && (
          <p>
            <Link to={picturePath(radio.radio_id)}>{radio.image ? "画像を変える" : "画像をつける"}</Link>
          </p>
        )}
        {radio && radio.status !== "scheduled" ? (
          <TextAreaField
            field={fields.transcript}
            label="文字起こし（任意）"
            hint={`${props.is_from_captions ? "放送中の字幕を入れてあります。直してから保存してください。" : ""}放送のあと、録音を聴ける人のページに表示されます。音を聴けない人も内容を読めます。`}
            textarea={{ rows: 6 }}
          />
        ) : (
          <input type="hidden" name="transcript" value={written.transcript} />
        )}
        <CheckField field={fields.is_chat_on} label="放送中にチャットを開く" />
        <div className="form-buttons">
          <Button name="do" value="save" aria-disabled={is_sending}>
            保存する
          </Button>
          {is_for_key_holders && (
            <Button name="do" value="rotate" variant="gray-outline" aria-disabled={is_sending}>
              保存してURLを作り直す
            </Button>
          )}
        </div>
        {is_for_key_holders && (
          <p className="field-hint">
            聴くためのURLは、作ったときにだけ表示されます。作り直すと、前のURLでは聴けなくなります。
          </p>
        )}
        {props.children}
      </Form>
    </>
  );
}

/** The choice between the words of this form and the content that another page has saved meanwhile. */
function Conflict({ radio_id }: { radio_id: string }) {
  return (
    <div>
      <p>どちらを残しますか？ いま入力している内容は、この画面に残っています。</p>
      <p className="row">
        <Button name="do" value="overwrite" size="sm">
          この画面の内容で保存する
        </Button>
        <a href={editPath(radio_id)} target="_blank" rel="noreferrer">
          保存されている内容を新しいタブで見る
        </a>
      </p>
    </div>
  );
}

/** The address that opens a radio for people who know it. It is shown once, because only its hash is stored. */
export function KeyPanel({ address }: { address: string }) {
  return (
    <section className="card form" aria-labelledby="key-title">
      <h2 className="section-title" id="key-title">
        聴くためのURL
      </h2>
      <p>このURLを知っている人が聴けます。いまだけ表示されます。コピーして、聴いてほしい人に渡してください。</p>
      <p>
        <input type="text" className="control" readOnly value={address} aria-label="聴くためのURL" />
      </p>
    </section>
  );
}
