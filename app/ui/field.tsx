import { type FieldMetadata, getInputProps, getTextareaProps } from "@conform-to/react";
import {
  type FormEventHandler,
  type InputHTMLAttributes,
  type ReactNode,
  type TextareaHTMLAttributes,
  useState,
} from "react";
import { countGraphemes } from "../../workers/contract/graphemes.ts";
import { FieldErrors, useMendable } from "./form-errors.tsx";
import { useHydrated } from "./hydrated.ts";

export interface FieldProps {
  /** The field as conform knows it: its name, what was typed, what is wrong with it. */
  field: FieldMetadata<string>;
  label: string;
  hint?: ReactNode;
}

/** A field with what is wrong with it until it is changed. */
type Shown = FieldProps & { errors: readonly string[] | undefined; onInput: FormEventHandler };

/** The same field; its errors go when somebody types into it. */
export function useShown<Props extends FieldProps>(props: Props): Props & Shown {
  const [errors, onInput] = useMendable(props.field.errors);
  return { ...props, errors, onInput };
}

/** A label, its control, what it wants to know, and what is wrong with it, tied together for assistive technology. */
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

/** What ties a control to its words, and leads to it where it is wrong, or where the page `begins` with it. */
export function descriptionOf({ field, hint, errors }: Pick<Shown, "field" | "hint" | "errors">, begins = false) {
  const ids = [hint && field.descriptionId, errors && field.errorId].filter(Boolean);
  return {
    "aria-invalid": errors ? true : undefined,
    // Where a page was loaded to say what is wrong, that is where the person goes on.
    autoFocus: begins || errors !== undefined,
    "aria-describedby": ids.length > 0 ? ids.join(" ") : undefined,
  };
}

/** One line of text. */
export function InputField(
  given: FieldProps & {
    type: "text" | "email" | "password" | "search" | "tel";
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

/** Several lines of text; with `max_graphemes`, how many characters are left is counted once the page is alive. */
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
        {has_counter && (
          <span className={typed > max_graphemes ? "counter counter-over" : "counter"} data-testid="remaining">
            残り{max_graphemes - typed}文字
          </span>
        )}
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
