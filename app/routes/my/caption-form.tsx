import { useCallback, useId, useState } from "react";
import { useFetcher } from "react-router";
import { CAPTION_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { useSent } from "../../forms/use-sent.ts";
import type { ReturnedWords } from "../../forms/words.ts";
import { Button } from "../../ui/button.tsx";
import { FieldErrors, FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { captionsPath, FROM_ON_AIR } from "./radio-path.ts";

interface CaptionFormProps {
  radio_id: string;
  /** Whether the form belongs to the page that the radio is on air with. */
  is_on_air?: boolean;
  /** The text of a refused form, and its answer. */
  answer?: ReturnedWords | undefined;
}

/** The form for captions on the page of a broadcast. A fetcher sends it: navigating would end the sound. */
export function CaptionPanel({ radio_id }: { radio_id: string }) {
  return (
    <div className="form">
      <h3>字幕</h3>
      <CaptionForm radio_id={radio_id} is_on_air />
      <p>
        <a href={captionsPath(radio_id)} target="_blank" rel="noreferrer">
          書いた字幕を見る
        </a>
      </p>
    </div>
  );
}

/** The form for one caption. Empties itself after it was sent, and keeps the focus for the next one. */
export function CaptionForm(props: CaptionFormProps) {
  const id = useId();
  const [sent_count, setSentCount] = useState(0);
  const onSent = useCallback(() => setSentCount((count) => count + 1), []);
  const fetcher_key = `${id} ${sent_count}`;
  const answer = sent_count === 0 ? props.answer : undefined;
  return (
    <OneCaption
      key={fetcher_key}
      radio_id={props.radio_id}
      is_on_air={props.is_on_air}
      answer={answer}
      fetcher_key={fetcher_key}
      is_next={sent_count > 0}
      onSent={onSent}
    />
  );
}

function OneCaption(props: CaptionFormProps & { fetcher_key: string; is_next: boolean; onSent: () => void }) {
  const { radio_id, onSent } = props;
  const fetcher = useFetcher<ReturnedWords>({ key: props.fetcher_key });
  useSent(fetcher, onSent);
  const is_sending = fetcher.state !== "idle";
  const result = (fetcher.data ?? props.answer)?.result;
  const errors = result?.error?.words ?? null;
  return (
    <fetcher.Form method="post" action={captionsPath(radio_id)} className="form">
      <HiddenFields />
      {props.is_on_air && <input type="hidden" name="from" value={FROM_ON_AIR.from} />}
      <FormErrors errors={result?.error?.[""]} />
      <div className="field">
        <label htmlFor="caption">話していること</label>
        <input
          id="caption"
          name="words"
          type="text"
          className="control"
          autoComplete="off"
          defaultValue={String(result?.initialValue?.words ?? "")}
          aria-invalid={errors ? true : undefined}
          aria-describedby={errors ? "caption-hint caption-error" : "caption-hint"}
          // biome-ignore lint/a11y/noAutofocus: the broadcaster types one caption after another.
          autoFocus={props.is_next || Boolean(errors)}
        />
        <div className="field-hint" id="caption-hint">
          {CAPTION_GRAPHEMES}文字まで。音を聴けない人が「文字で読む」ページで読みます。
        </div>
        <FieldErrors errors={errors} id="caption-error" />
      </div>
      <Button size="sm" variant={props.is_on_air ? "primary-outline" : "primary"} aria-disabled={is_sending}>
        {is_sending ? "送信しています…" : "字幕を出す"}
      </Button>
    </fetcher.Form>
  );
}
