import { type FieldMetadata, getInputProps, getTextareaProps } from "@conform-to/react";
import {
  type FormEventHandler,
  type InputHTMLAttributes,
  type ReactNode,
  type TextareaHTMLAttributes,
  useState,
} from "react";
import { countGraphemes } from "../../workers/contract/graphemes.ts";
import { Counter } from "./counter.tsx";
import { FieldErrors, useMendable } from "./form-errors.tsx";
import { useHydrated } from "./hydrated.ts";

export interface FieldProps {
  /** Conform's metadata of the field: name, value and errors. */
  field: FieldMetadata<string>;
  label: string;
  hint?: ReactNode;
}

/** A field with its errors, which disappear when the person changes it. */
type Shown = FieldProps & { errors: readonly string[] | undefined; onInput: FormEventHandler };

/** Adds the errors to a field's props, and hides them when the person types. */
export function useShown<Props extends FieldProps>(props: Props): Props & Shown {
  const [errors, onInput] = useMendable(props.field.errors);
  return { ...props, errors, onInput };
}

/** A label, a control, a hint and errors, linked for assistive technology. */
export function Field({ children, ...props }: Shown & { children: ReactNode }) {
  return (
    <div className="field" onInput={props.onInput}>
      <label htmlFor={props.field.id}>{props.label}</label>
      {children}
      <Notes {...props} />
    </div>
  );
}

export function Notes({ field, hint, errors }: Pick<Shown, "field" | "hint" | "errors">) {
  return (
    <>
      {hint && (
        <div className="field-hint" id={field.descriptionId}>
          {hint}
        </div>
      )}
      <FieldErrors errors={errors} id={field.errorId} />
    </>
  );
}

/**
 * The control's attributes: links to its hint and errors, and `autoFocus` if it has errors or the page `begins` with
 * it.
 */
export function descriptionOf({ field, hint, errors }: Pick<Shown, "field" | "hint" | "errors">, begins = false) {
  const ids = [hint && field.descriptionId, errors && field.errorId].filter(Boolean);
  return {
    "aria-invalid": errors ? true : undefined,
    // Focus a field with errors: after a refused form, the person continues there.
    autoFocus: begins || errors !== undefined,
    "aria-describedby": ids.length > 0 ? ids.join(" ") : undefined,
  };
}

/** A single-line text field. */
export function InputField(
  given: FieldProps & {
    type: "text" | "email" | "password" | "search" | "tel" | "datetime-local" | "date" | "color";
    input?: InputHTMLAttributes<HTMLInputElement>;
  },
) {
  const props = useShown(given);
  const { key, ...attributes } = getInputProps(props.field, { type: props.type, ariaAttributes: false });
  return (
    <Field {...props}>
      <input
        key={key}
        className="control"
        {...attributes}
        {...props.input}
        {...descriptionOf(props, props.input?.autoFocus)}
      />
    </Field>
  );
}

/** A multi-line text field. With `max_graphemes`, shows the number of characters left after hydration. */
export function TextAreaField(
  given: FieldProps & { max_graphemes?: number; textarea?: TextareaHTMLAttributes<HTMLTextAreaElement> },
) {
  const props = useShown(given);
  const { field, max_graphemes, errors } = props;
  const { key, ...attributes } = getTextareaProps(field, { ariaAttributes: false });
  const isHydrated = useHydrated();
  const [length, setLength] = useState<number | null>(null);
  const typed = length ?? countGraphemes(field.initialValue ?? "");
  const has_counter = max_graphemes !== undefined && isHydrated && typed > 0;
  const hint =
    props.hint || has_counter ? (
      <>
        {props.hint}
        {has_counter && <Counter left={max_graphemes - typed} />}
      </>
    ) : null;
  return (
    <Field {...props} hint={hint}>
      <textarea
        key={key}
        className="control"
        {...attributes}
        onInput={(event) => setLength(countGraphemes(event.currentTarget.value.trim()))}
        {...props.textarea}
        {...descriptionOf({ field, hint, errors })}
      />
    </Field>
  );
}
