import { type FieldMetadata, getInputProps, getTextareaProps } from "@conform-to/react";
import type { InputHTMLAttributes, ReactNode, TextareaHTMLAttributes } from "react";

interface FieldProps {
  /** The field as conform knows it: its name, what was typed, what is wrong with it. */
  field: FieldMetadata<string>;
  label: string;
  hint?: ReactNode;
}

/** A label, its control, what it wants to know, and what is wrong with it, tied together for assistive technology. */
function Field({ field, label, hint, children }: FieldProps & { children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={field.id}>{label}</label>
      {children}
      {hint && (
        <div className="field-hint" id={field.descriptionId}>
          {hint}
        </div>
      )}
      {field.errors && (
        <p className="field-error" id={field.errorId} role="alert">
          {field.errors.join(" ")}
        </p>
      )}
    </div>
  );
}

function descriptionOf({ field, hint }: FieldProps) {
  const ids = [hint && field.descriptionId, field.errors && field.errorId].filter(Boolean);
  return {
    "aria-invalid": field.errors ? true : undefined,
    // Where a page was loaded to say what is wrong, that is where the person goes on.
    autoFocus: field.errors !== undefined,
    "aria-describedby": ids.length > 0 ? ids.join(" ") : undefined,
  };
}

/** One line of text. */
export function InputField(
  props: FieldProps & { type: "text" | "email" | "password"; input?: InputHTMLAttributes<HTMLInputElement> },
) {
  const { key, ...attributes } = getInputProps(props.field, { type: props.type, ariaAttributes: false });
  return (
    <Field {...props}>
      <input key={key} {...attributes} {...props.input} {...descriptionOf(props)} />
    </Field>
  );
}

/** Several lines of text. */
export function TextAreaField(props: FieldProps & { textarea?: TextareaHTMLAttributes<HTMLTextAreaElement> }) {
  const { key, ...attributes } = getTextareaProps(props.field, { ariaAttributes: false });
  return (
    <Field {...props}>
      <textarea key={key} {...attributes} {...props.textarea} {...descriptionOf(props)} />
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
