import { useEffect, useRef, useState } from "react";
import { AUTHOR_FIELD } from "./author-field.ts";
import type { Back, Fields } from "./kept-words.ts";

/**
 * Names the author of a form's text; the server accepts the text from nobody else. The browser keeps what the author
 * types until it is sent, and shows it again, with a note, when they come back to the form.
 *
 * @param id of the author; null for a visitor, for whom nothing is kept.
 * @param verb what the form's button does, for the note.
 * @param onBack called with the fields that came back, for parts of the form that are state of a component. The second
 * argument says whether they were sent, and the answer was lost.
 */
export function Author(props: {
  id: string | null | undefined;
  verb?: string;
  onBack?: (fields: Fields, is_unconfirmed: boolean) => void;
}) {
  const { id, verb = "送信", onBack } = props;
  const field = useRef<HTMLInputElement>(null);
  const back = useRef(onBack);
  back.current = onBack;
  const [words, setWords] = useState<Back | null>(null);
  useEffect(() => {
    const form = field.current?.form;
    if (!form || !id) return;
    let is_gone = false;
    let stop: (() => void) | undefined;
    import("./kept-words.ts").then(
      ({ keepWords }) => {
        stop = keepWords(form, id, verb, (words) => {
          if (is_gone) return;
          setWords(words);
          if (words) back.current?.(words.fields, words.is_unconfirmed);
        });
        // The form was removed before the script was loaded: store the typed text, then stop.
        if (is_gone) stop();
      },
      // After a deployment, the script that keeps the text may have been deleted. The form works without it.
      () => {},
    );
    return () => {
      is_gone = true;
      stop?.();
    };
  }, [id, verb]);
  if (!id) return null;
  return (
    <>
      <input ref={field} type="hidden" name={AUTHOR_FIELD} value={id} />
      {words && (
        <p className="notice unsent" role="status">
          <span>{words.note}</span>
          <button type="button" className="link-button" onClick={words.discard}>
            入力を消す
          </button>
        </p>
      )}
    </>
  );
}
