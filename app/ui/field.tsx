import type { InputHTMLAttributes, ReactNode, TextareaHTMLAttributes } from "react";

interface FieldProps {
  id: string;
  label: string;
  errors: readonly string[] | undefined;
  hint?: ReactNode;
}

/** A label, its control, what it wants to know, and what is wrong with it, tied together for assistive technology. */
function Field({ id, label, errors, hint, children }: FieldProps & { children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      {hint && (
        <div className="field-hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {errors && errors.length > 0 && (
        <p className="field-error" id={`${id}-error`} role="alert">
          {errors.join(" ")}
        </p>
      )}
    </div>
  );
}

function descriptionOf({ id, errors, hint }: FieldProps) {
  const ids = [hint && `${id}-hint`, errors?.length && `${id}-error`].filter(Boolean);
  return {
    id,
    "aria-invalid": errors?.length ? true : undefined,
    // Where a page was loaded to say what is wrong, that is where the person goes on.
    autoFocus: Boolean(errors?.length),
    "aria-describedby": ids.length > 0 ? ids.join(" ") : undefined,
  };
}

export function TextField(props: FieldProps & { input: InputHTMLAttributes<HTMLInputElement> }) {
  return (
    <Field {...props}>
      <input {...props.input} {...descriptionOf(props)} />
    </Field>
  );
}

export function TextAreaField(props: FieldProps & { textarea: TextareaHTMLAttributes<HTMLTextAreaElement> }) {
  return (
    <Field {...props}>
      <textarea {...props.textarea} {...descriptionOf(props)} />
    </Field>
  );
}

/** What concerns the form as a whole. */
export function FormErrors({ errors }: { errors: readonly string[] | undefined }) {
  if (!errors || errors.length === 0) return null;
  return (
    <p className="form-error" role="alert">
      {errors.join(" ")}
    </p>
  );
}
