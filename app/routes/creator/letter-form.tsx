import { getTextareaProps, type SubmissionResult, useForm } from "@conform-to/react";
import { useState } from "react";
import { Form, useNavigation } from "react-router";
import { countGraphemes, LETTER_GRAPHEMES } from "../../../workers/contract/graphemes.ts";
import type { User } from "../../../workers/contract/users.ts";
import { FormErrors, TextAreaField } from "../../ui/field.tsx";

export interface LetterValues {
  message: string;
  is_public: boolean;
}

/** The letter: the same form on the creator's page and on its own. Sent by `/{link_id}/ofuse`. */
export function LetterForm(props: {
  creator: User;
  is_member: boolean;
  idempotency_key: string | null;
  /** What the action, or the words kept over a sign-in, came back with. */
  result?: SubmissionResult | null;
  defaultValue?: { message: string; is_public?: string };
}) {
  const { creator, is_member, idempotency_key, result, defaultValue } = props;
  const [form, fields] = useForm<LetterValues>({ id: "letter", lastResult: result, defaultValue });
  const navigation = useNavigation();
  const action = `/${creator.link_id}/ofuse`;
  const is_sending = navigation.formAction === action;
  return (
    <Form method="post" action={action} id={form.id} onSubmit={form.onSubmit} noValidate className="form">
      <FormErrors errors={form.errors} />
      {idempotency_key && <input type="hidden" name="idempotency_key" value={idempotency_key} />}
      <MessageField
        textarea={getTextareaProps(fields.message, { ariaAttributes: false })}
        errors={fields.message.errors}
        name={creator.name}
        is_counted={is_member}
      />
      <label className="check">
        <input type="checkbox" name="is_public" defaultChecked={fields.is_public.defaultChecked} />
        <span>このofuseを{creator.name}さんのページで公開する</span>
      </label>
      <button type="submit" className="button button-secondary button-block" disabled={is_sending}>
        {is_sending ? "送信しています…" : "送信する"}
      </button>
    </Form>
  );
}

function MessageField(props: {
  textarea: ReturnType<typeof getTextareaProps>;
  errors: string[] | undefined;
  name: string;
  is_counted: boolean;
}) {
  const { textarea, errors, name, is_counted } = props;
  const [length, setLength] = useState<number | null>(null);
  const typed = length ?? countGraphemes(textarea.defaultValue ?? "");
  const { key, ...attributes } = textarea;
  return (
    <TextAreaField
      key={key}
      id={textarea.id}
      label="メッセージ"
      errors={errors}
      hint={
        is_counted ? (
          <span className={typed > LETTER_GRAPHEMES ? "counter counter-over" : "counter"} data-testid="remaining">
            残り{LETTER_GRAPHEMES - typed}文字
          </span>
        ) : (
          `${LETTER_GRAPHEMES}文字まで。1日3通まで無料で送れます。`
        )
      }
      textarea={{
        ...attributes,
        rows: 5,
        placeholder: `${name}さんへ`,
        onInput: (event) => setLength(countGraphemes(event.currentTarget.value.trim())),
      }}
    />
  );
}
