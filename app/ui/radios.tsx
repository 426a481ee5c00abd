import type { ReactNode } from "react";
import { FieldErrors, useMendable } from "./form-errors.tsx";

/** One of the options of a field. */
export interface Choice {
  value: string;
  label: string;
  /** A note that explains this option. */
  note?: string;
}

/** Radio buttons, each with a note. */
export function Radios(props: {
  id: string;
  name: string;
  label: string;
  choices: readonly Choice[];
  initial: string | undefined;
  errors: readonly string[] | null | undefined;
  hint?: ReactNode;
}) {
  const { id, name, label, choices, initial, hint } = props;
  const [errors, onInput] = useMendable(props.errors);
  const ids = [hint && `${id}-hint`, errors && `${id}-error`].filter(Boolean).join(" ");
  return (
    <fieldset
      className="field"
      aria-describedby={ids || undefined}
      aria-invalid={errors ? true : undefined}
      onInput={onInput}
    >
      <legend>{label}</legend>
      <div className="choices">
        {choices.map(({ value, label, note }, index) => (
          <label key={value} className="choice">
            <input
              type="radio"
              name={name}
              value={value}
              defaultChecked={initial === value}
              // biome-ignore lint/a11y/noAutofocus: after a refused form, the person continues at the field to correct.
              autoFocus={Boolean(errors) && index === 0}
            />
            <span>
              {label}
              {note && <small>{note}</small>}
            </span>
          </label>
        ))}
      </div>
      {hint && (
        <div className="field-hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      <FieldErrors errors={errors} id={`${id}-error`} />
    </fieldset>
  );
}
