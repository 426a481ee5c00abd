import type { SubmissionResult } from "@conform-to/react";
import { type ReactNode, useCallback, useId, useState } from "react";
import { useFetcher } from "react-router";
import { LETTER_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { Author } from "../../forms/author.tsx";
import { useSent } from "../../forms/use-sent.ts";
import type { ReturnedWords } from "../../forms/words.ts";
import { FormErrors } from "../../ui/form-errors.tsx";
import { WordsField } from "../../ui/words-field.tsx";
import { useCreator } from "./creator.ts";

interface LetterFormProps {
  /** The key of a form that was refused. */
  idempotency_key?: string | undefined;
  /** The answer of the action, or of the check of a letter kept during the sign-in. */
  result?: SubmissionResult | null;
  defaultValue?: Record<string, string>;
  /** Renders what follows the button that sends the letter. */
  children?(is_sending: boolean): ReactNode;
  /** Renders more fields. */
  renderChoices?(initial: Record<string, unknown>, errors: SubmissionResult["error"]): ReactNode;
}

/**
 * The form for a letter, used on the creator's page and on the letter page. A fetcher posts it to `/{link_id}/ofuse`:
 * errors appear in the form, and only a letter that was sent navigates. The form is emptied after that.
 */
export function LetterForm(props: LetterFormProps) {
  const id = useId();
  const [letters_sent, setLettersSent] = useState(0);
  const onSent = useCallback(() => setLettersSent((count) => count + 1), []);
  return <OneLetter key={letters_sent} {...props} fetcher_key={`${id} ${letters_sent}`} onSent={onSent} />;
}

function OneLetter(props: LetterFormProps & { fetcher_key: string; onSent: () => void }) {
  const { defaultValue, onSent } = props;
  const { creator, viewer_id, letters_left, on_air_radio, idempotency_key: page_key } = useCreator();
  const fetcher = useFetcher<ReturnedWords>({ key: props.fetcher_key });
  const action = `/${creator.link_id}/ofuse`;
  const sends_to = fetcher.formAction;
  useSent(fetcher, onSent);
  const result = fetcher.data?.result ?? props.result;
  const initial = result?.initialValue ?? defaultValue ?? {};
  const idempotency_key = fetcher.data?.idempotency_key ?? props.idempotency_key ?? page_key;
  return (
    <fetcher.Form method="post" action={action} id="letter" className="form">
      <FormErrors errors={result?.error?.[""]} />
      {idempotency_key && <input type="hidden" name="idempotency_key" value={idempotency_key} />}
      <Author id={viewer_id} />
      <WordsField
        id="letter-message"
        name="message"
        label="メッセージ"
        hint={`${LETTER_GRAPHEMES}文字まで。${letters_left}`}
        max_graphemes={LETTER_GRAPHEMES}
        initial={String(initial.message ?? "")}
        errors={result?.error?.message ?? null}
        textarea={{ rows: 5, placeholder: "好きなところ、うれしかったこと、応援のひとこと" }}
      />
      {props.renderChoices?.(initial, result?.error)}
      <details className="about-letter">
        <summary>ofuseとは</summary>
        <p className="lead">
          好きな人に気持ちを伝える短い手紙です。読めるのは、あなたと<bdi>{creator.name}</bdi>さんだけ。公開を選ぶと、
          <bdi>{creator.name}</bdi>
          さんのページや、生配信の画面にも載ります。公開しなくても、届いたことと名前、スタンプだけは、生配信の画面に出ることがあります。
        </p>
      </details>
      <label className="check">
        <input type="checkbox" name="is_public" defaultChecked={initial.is_public === "on"} />
        <span>
          このofuseを<bdi>{creator.name}</bdi>さんのページで公開する
        </span>
      </label>
      {on_air_radio && <p className="field-hint">{on_air_radio.letter_note}</p>}
      <button type="submit" className="button button-secondary button-block" aria-disabled={!!sends_to}>
        {/* The form may have another button, with an action of its own. */}
        {sends_to === action ? "送信しています…" : viewer_id ? "送信する" : "ログインして送信する"}
      </button>
      {props.children?.(!!sends_to)}
    </fetcher.Form>
  );
}
