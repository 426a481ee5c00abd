import type { ReactNode } from "react";
import { FieldErrors } from "../ui/form-errors.tsx";
import type { Choice } from "../ui/radios.tsx";

/* The fields of a post's form. Without Conform (docs/decisions/0013): the server provides values and errors. */

export interface PostField {
  name: string;
  label: string;
  value: string;
  errors: readonly string[] | undefined;
  hint?: ReactNode;
}

export const idOf = (name: string) => `post-${name}`;

/** Returns the attributes that link a control to its label, hint and errors, and that focus it if it has errors. */
export function attributesOf({ name, errors, hint }: Pick<PostField, "name" | "errors" | "hint">) {
  const id = idOf(name);
  const described = [hint && `${id}-hint`, errors && `${id}-error`].filter(Boolean).join(" ");
  return {
    id,
    name,
    "aria-invalid": errors ? true : undefined,
    autoFocus: errors !== undefined,
    "aria-describedby": described || undefined,
  };
}

export function Notes({ name, errors, hint }: Pick<PostField, "name" | "errors" | "hint">) {
  return (
    <>
      {hint && (
        <div className="field-hint" id={`${idOf(name)}-hint`}>
          {hint}
        </div>
      )}
      <FieldErrors errors={errors} id={`${idOf(name)}-error`} />
    </>
  );
}

export function Labelled({ children, ...field }: PostField & { children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={idOf(field.name)}>{field.label}</label>
      {children}
      <Notes {...field} />
    </div>
  );
}

/** Radio buttons with a note each. */
export function Cards(props: PostField & { choices: readonly Choice[]; children?: ReactNode }) {
  const { name, label, value, errors, choices, children } = props;
  return (
    <fieldset className="field" aria-describedby={attributesOf(props)["aria-describedby"]}>
      <legend>{label}</legend>
      <div className="choices choices-row">
        {choices.map((choice) => (
          <label key={choice.value} className="choice">
            <input
              type="radio"
              name={name}
              value={choice.value}
              defaultChecked={value === choice.value}
              // biome-ignore lint/a11y/noAutofocus: after a refused form, the person continues at the field to correct.
              autoFocus={errors !== undefined && choice === choices[0]}
            />
            <span>
              {choice.label}
              {choice.note && <small>{choice.note}</small>}
            </span>
          </label>
        ))}
      </div>
      {children}
      <Notes {...props} />
    </fieldset>
  );
}
