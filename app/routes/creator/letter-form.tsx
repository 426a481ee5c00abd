import type { SubmissionResult } from "@conform-to/react";
import { type ReactNode, useCallback, useId, useState } from "react";
import { useFetcher } from "react-router";
import { LETTER_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import type { User } from "../../../workers/contract/users.ts";
import { Author } from "../../forms/author.tsx";
import { useSent } from "../../forms/use-sent.ts";
import type { ReturnedWords } from "../../forms/words.ts";
import { FormErrors } from "../../ui/form-errors.tsx";
import { WordsField } from "../../ui/words-field.tsx";
import { useCreator } from "./creator.ts";

interface LetterFormProps {
  creator: User;
  viewer_id: string | null;
  /** The sentence about the daily limit. */
  letters_left: string;
  idempotency_key: string | null;
  /** The answer of the action, or of the check of a letter kept during the sign-in. */
  result?: SubmissionResult | null;
  defaultValue?: Record<string, string>;
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
  const { creator, viewer_id, defaultValue, onSent } = props;
  const { on_air_radio } = useCreator();
  const fetcher = useFetcher<ReturnedWords>({ key: props.fetcher_key });
  const is_sending = fetcher.state !== "idle";
  useSent(fetcher, onSent);
  const result = fetcher.data?.result ?? props.result;
  const initial = result?.initialValue ?? defaultValue ?? {};
  const idempotency_key = fetcher.data?.idempotency_key ?? props.idempotency_key;
  return (
    <fetcher.Form method="post" action={`/${creator.link_id}/ofuse`} id="letter" className="form">
      <FormErrors errors={result?.error?.[""]} />
      {idempotency_key && <input type="hidden" name="idempotency_key" value={idempotency_key} />}
      <Author id={viewer_id} />
      <WordsField
        id="letter-message"
        name="message"
        label="メッセージ"
        hint={`${LETTER_GRAPHEMES}文字まで。${props.letters_left}`}
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
      <button type="submit" className="button button-secondary button-block" aria-disabled={is_sending}>
        {is_sending ? "送信しています…" : "送信する"}
      </button>
    </fetcher.Form>
  );
}
