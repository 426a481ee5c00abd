import { type FormEventHandler, useRef, useState } from "react";
import { useEffectOfAnswer } from "./hydrated.ts";

type Errors = readonly string[] | null | undefined;

/**
 * Matches controls that can take the focus. For the body of a post these are the text area, or the editor in its place.
 */
const CONTROLS = "input:not([type=hidden]), textarea:not([hidden]), select, [contenteditable=true]";

/**
 * Scrolls to the first error in a form and moves the focus to where it can be corrected: the field, the first option of
 * a group, or the error itself if it concerns the whole form.
 */
export function focusFirstError(form: Element | null | undefined): void {
  // A dialog whose button sent the form would cover its error.
  form?.querySelector<HTMLDialogElement>("dialog[open]")?.close();
  const sentence = form?.querySelector<HTMLElement>("[role=alert]:not(.upload-list *)");
  const control = sentence?.closest(".field, li, fieldset")?.querySelector<HTMLElement>(CONTROLS);
  // If the error asks a question, it contains the buttons to answer it.
  (control ?? sentence?.querySelector("button") ?? sentence)?.focus({ preventScroll: true });
  sentence?.scrollIntoView({ block: "center" });
}

/**
 * The errors of the form as a whole. Takes the focus; on a loaded page by `autofocus`.
 * @param answer identifies the answer with these errors. Needed if `errors` is a new array on each render.
 */
export function FormErrors({ errors, answer = errors }: { errors: Errors; answer?: unknown }) {
  if (!errors || errors.length === 0) return null;
  return <Sentence errors={errors} answer={answer} className="form-error" tabIndex={-1} autoFocus />;
}

/** The errors of one field. Must be inside the element of class `field` that contains the control. */
export function FieldErrors({ errors, id }: { errors: Errors; id?: string }) {
  if (!errors) return null;
  return <Sentence errors={errors} answer={errors} className="field-error" id={id} />;
}

function Sentence({
  errors,
  answer,
  ...attributes
}: {
  errors: readonly string[];
  answer: unknown;
  className: string;
  id?: string;
  tabIndex?: number;
  autoFocus?: boolean;
}) {
  const sentence = useRef<HTMLParagraphElement>(null);
  // The same errors again must take the focus again.
  useEffectOfAnswer(
    () => focusFirstError(sentence.current?.closest("form") ?? sentence.current?.parentElement),
    answer,
  );
  return (
    <p {...attributes} ref={sentence} role="alert">
      {[...new Set(errors)].join(" ")}
    </p>
  );
}

/**
 * Returns the errors of a field and an input handler. Hides the errors after a change, because the new value was not
 * checked yet.
 */
export function useMendable<E extends Errors>(errors: E): [errors: E | undefined, onInput: FormEventHandler] {
  const [mended, setMended] = useState<Errors>();
  return [errors && mended === errors ? undefined : errors, () => setMended(errors)];
}
