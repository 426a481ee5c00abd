import { type FieldMetadata, type SubmissionResult, useForm } from "@conform-to/react";
import { useEffect, useRef, useState } from "react";
import { Form, useNavigation } from "react-router";
import { countGraphemes, LETTER_GRAPHEMES } from "../../../workers/contract/graphemes.ts";
import type { User } from "../../../workers/contract/users.ts";
import { AUTHOR_FIELD } from "../../session/author-field.ts";
import { FormErrors, TextAreaField } from "../../ui/field.tsx";
import { useHydrated } from "../../ui/hydrated.ts";

export interface LetterValues {
  message: string;
  is_public: boolean;
}

interface LetterFormProps {
  creator: User;
  viewer_id: string | null;
  idempotency_key: string | null;
  /** What the action, or the words kept over a sign-in, came back with. */
  result?: SubmissionResult | null;
  defaultValue?: { message: string; is_public?: string };
}

/**
 * The letter: the same form on the creator's page and on its own. Sent by `/{link_id}/ofuse`. Once sent, the next one
 * begins empty; until then nothing that happens on the page touches the words in it.
 */
export function LetterForm(props: LetterFormProps) {
  const [letters_sent, setLettersSent] = useState(0);
  const navigation = useNavigation();
  const is_sending = navigation.formAction === `/${props.creator.link_id}/ofuse`;
  const wasSending = useRef(false);
  const is_refused = props.result?.status === "error";
  useEffect(() => {
    if (wasSending.current && !is_sending && !is_refused) setLettersSent((count) => count + 1);
    wasSending.current = is_sending;
  }, [is_sending, is_refused]);
  return <OneLetter key={letters_sent} {...props} is_sending={is_sending} />;
}

function OneLetter(props: LetterFormProps & { is_sending: boolean }) {
  const { creator, viewer_id, idempotency_key, result, defaultValue, is_sending } = props;
  const [form, fields] = useForm<LetterValues>({ id: "letter", lastResult: result, defaultValue });
  const action = `/${creator.link_id}/ofuse`;
  return (
    <Form method="post" action={action} id={form.id} onSubmit={form.onSubmit} noValidate className="form">
      <FormErrors errors={form.errors} />
      {idempotency_key && <input type="hidden" name="idempotency_key" value={idempotency_key} />}
      {viewer_id && <input type="hidden" name={AUTHOR_FIELD} value={viewer_id} />}
      <MessageField field={fields.message} />
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

function MessageField({ field }: { field: FieldMetadata<string> }) {
  const isHydrated = useHydrated();
  const [length, setLength] = useState<number | null>(null);
  const typed = length ?? countGraphemes(field.initialValue ?? "");
  return (
    <TextAreaField
      field={field}
      label="メッセージ"
      hint={
        isHydrated ? (
          <span className={typed > LETTER_GRAPHEMES ? "counter counter-over" : "counter"} data-testid="remaining">
            残り{LETTER_GRAPHEMES - typed}文字
          </span>
        ) : (
          `${LETTER_GRAPHEMES}文字まで。1日3通まで無料で送れます。`
        )
      }
      textarea={{
        rows: 5,
        placeholder: "好きなところ、うれしかったこと、応援のひとこと",
        onInput: (event) => setLength(countGraphemes(event.currentTarget.value.trim())),
      }}
    />
  );
}
