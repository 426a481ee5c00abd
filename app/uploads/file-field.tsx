import type { InputHTMLAttributes } from "react";
import { data } from "react-router";
import { FieldErrors } from "../ui/form-errors.tsx";

/** Why the form of a file was refused: at the field of the name, or for the form as a whole (`null`). */
export interface FileRefusal {
  error: string;
  field: string | null;
}

/** Answers a form whose file was refused. `field` is the field to correct; null for the form as a whole. */
export function refuseFile({ detail, status }: { detail: string; status: number }, field: string | null = null) {
  return data({ error: detail, field } satisfies FileRefusal, status);
}

/** A field for one file that is sent with its form, and the error of that file. */
export function FileField(props: {
  id: string;
  label: string;
  hint: string;
  refusal: FileRefusal | undefined;
  input: { name: string } & Pick<InputHTMLAttributes<HTMLInputElement>, "accept" | "required">;
}) {
  const { id, label, hint, refusal, input } = props;
  const error = refusal?.field === input.name ? refusal.error : null;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="file"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-hint ${id}-error` : `${id}-hint`}
        // biome-ignore lint/a11y/noAutofocus: after a refused form, the person continues at the field to correct.
        autoFocus={error !== null}
        {...input}
      />
      <p className="field-hint" id={`${id}-hint`}>
        {hint}
      </p>
      <FieldErrors errors={error ? [error] : null} id={`${id}-error`} />
    </div>
  );
}

/** Returns the error of the form as a whole. */
export const formErrorOf = (refusal: FileRefusal | undefined): string[] | null =>
  refusal && refusal.field === null ? [refusal.error] : null;
