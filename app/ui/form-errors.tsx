import { type FormEventHandler, useEffect, useRef, useState } from "react";

type Errors = readonly string[] | null | undefined;

/** Where somebody writes or chooses; of a post's body that is the text area or the editor over it. */
const CONTROLS = "input:not([type=hidden]), textarea:not([hidden]), select, [contenteditable=true]";

/**
 * Shows the first sentence about what is wrong in a form and moves the focus to where it can be mended: the field, the
 * first answer to a question, or the sentence itself where it concerns the whole form.
 */
export function leadToError(form: Element | null | undefined): void {
  const sentence = form?.querySelector<HTMLElement>("[role=alert]:not(.upload-list *)");
  const control = sentence?.closest(".field, li, fieldset")?.querySelector<HTMLElement>(CONTROLS);
  // A question has its answers beside it.
  (control ?? sentence?.querySelector("button") ?? sentence)?.focus({ preventScroll: true });
  sentence?.scrollIntoView({ block: "center" });
}

/**
 * What concerns the form as a whole. The page leads to it: a browser without JavaScript by `autofocus`.
 *
 * @param answer what brought the errors, where they are made anew with each render.
 */
export function FormErrors({ errors, answer = errors }: { errors: Errors; answer?: unknown }) {
  if (!errors || errors.length === 0) return null;
  return <Sentence errors={errors} answer={answer} className="form-error" tabIndex={-1} autoFocus />;
}

/** What is wrong with one field. It stands within the element of class `field`, with the control. */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same sentence once more is another answer.
  useEffect(() => leadToError(sentence.current?.closest("form") ?? sentence.current?.parentElement), [answer]);
  return (
    <p {...attributes} ref={sentence} role="alert">
      {[...new Set(errors)].join(" ")}
    </p>
  );
}

/** The errors of a field until it is changed, and the handler for that: what is typed now was not judged yet. */
export function useMendable<E extends Errors>(errors: E): [errors: E | undefined, onInput: FormEventHandler] {
  const [mended, setMended] = useState<Errors>();
  return [errors && mended === errors ? undefined : errors, () => setMended(errors)];
}
