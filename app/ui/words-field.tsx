import { type TextareaHTMLAttributes, useEffect, useRef, useState } from "react";
import { countGraphemes } from "../../workers/contract/graphemes.ts";
import { Counter } from "./counter.tsx";
import { FieldErrors, useMendable } from "./form-errors.tsx";
import { useHydrated } from "./hydrated.ts";
import { useTypedEarly } from "./typed-early.ts";

/**
 * A multi-line text field with errors, for a form with no other field that can have errors. Such a page does without
 * Conform, which is a tenth of the script budget of a page.
 */
export function WordsField(props: {
  id: string;
  name: string;
  label: string;
  hint?: string;
  max_graphemes: number;
  /** Counts the characters; by default as a reader sees them. */
  count?: (text: string) => number;
  initial: string;
  errors: readonly string[] | null;
  textarea?: TextareaHTMLAttributes<HTMLTextAreaElement>;
}) {
  const { id, name, label, hint, max_graphemes, count = countGraphemes, initial, textarea } = props;
  const [errors, onInput] = useMendable(props.errors);
  const is_hydrated = useHydrated();
  const [length, setLength] = useState(() => count(initial));
  const field = useRef<HTMLTextAreaElement>(null);
  useTypedEarly(id, field);
  // Count the text that was typed before hydration, too.
  useEffect(() => {
    if (field.current) setLength(count(field.current.value.trim()));
  }, [count]);
  const has_counter = is_hydrated && length > 0;
  const ids = [(hint || has_counter) && `${id}-hint`, errors && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className="field" onInput={onInput}>
      <label htmlFor={id}>{label}</label>
      <textarea
        ref={field}
        id={id}
        name={name}
        className="control"
        defaultValue={initial}
        onInput={(event) => setLength(count(event.currentTarget.value.trim()))}
        aria-invalid={errors ? true : undefined}
        aria-describedby={ids || undefined}
        // biome-ignore lint/a11y/noAutofocus: after a refused form, the person continues at the field to correct.
        autoFocus={Boolean(errors)}
        {...textarea}
      />
      {(hint || has_counter) && (
        <div className="field-hint" id={`${id}-hint`}>
          {hint}
          {has_counter && <Counter left={max_graphemes - length} />}
        </div>
      )}
      <FieldErrors errors={errors} id={`${id}-error`} />
    </div>
  );
}
