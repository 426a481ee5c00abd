import { type InputHTMLAttributes, type ReactNode, useCallback, useRef } from "react";
import { useFetcher } from "react-router";
import { OPERATOR_NOTE_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import type { ButtonVariant } from "../../../workers/contract/interface.ts";
import { Author } from "../../forms/author.tsx";
import { useSent } from "../../forms/use-sent.ts";
import { Button } from "../../ui/button.tsx";
import { FieldErrors, FormErrors } from "../../ui/form-errors.tsx";
import { WordsField } from "../../ui/words-field.tsx";
import type { FormState, RefusedAct } from "./operator-page.ts";

/** The content of a form's fields: the typed words, and their errors. */
export interface Fields {
  typed: Readonly<Record<string, string>>;
  errors: Readonly<Record<string, readonly string[] | null>>;
}

interface ActFormProps {
  /** The name of the form among those of its page. */
  act: string;
  forms: FormState;
  /** The action's answer for a page without scripts. */
  answer: RefusedAct | undefined;
  /** Names the form for another component of the page, which shows the answer when the form is gone. */
  fetcher_key?: string;
  button: string;
  variant?: ButtonVariant;
  /** Hidden fields. */
  fields?: Readonly<Record<string, string>>;
  children: (fields: Fields) => ReactNode;
}

/** A form for an act of an operator. Posts to the page's own address. Is empty again after the act. */
export function ActForm(props: ActFormProps) {
  const { act, forms, answer, fetcher_key, button, variant, fields = {}, children } = props;
  const fetcher = useFetcher<RefusedAct>({ key: fetcher_key });
  const form = useRef<HTMLFormElement>(null);
  useSent(
    fetcher,
    useCallback(() => {
      form.current?.reset();
      form.current?.closest("details")?.removeAttribute("open");
    }, []),
  );
  const given = fetcher.data ?? answer;
  const refused = given?.act === act ? given : null;
  const kept = forms.kept?.act === act ? forms.kept : null;
  return (
    <fetcher.Form method="post" className="form" ref={form}>
      <FormErrors errors={refused?.error ? [refused.error] : null} answer={refused} />
      <input type="hidden" name="act" value={act} />
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Author id={forms.author} />
      {children({ typed: refused?.typed ?? kept ?? {}, errors: refused?.errors ?? {} })}
      <p className="row">
        <Button variant={variant} aria-disabled={fetcher.state !== "idle"}>
          {button}
        </Button>
      </p>
    </fetcher.Form>
  );
}

/** An act that asks first: its form opens below its name. */
export function ConfirmedAct(props: ActFormProps & { title: ReactNode; what: ReactNode }) {
  const { title, what, act, forms, answer, children, ...form } = props;
  const is_open = answer?.act === act || forms.kept?.act === act;
  return (
    <details className="card operator-act" open={is_open}>
      <summary>{title}</summary>
      <div className="form">
        <p>{what}</p>
        <ActForm act={act} forms={forms} answer={answer} {...form}>
          {children}
        </ActForm>
      </div>
    </details>
  );
}

/** A field for an operator's words, of one paragraph. */
export function NoteField(props: { act: string; name: string; label: string; hint?: string; fields: Fields }) {
  const { act, name, label, hint, fields } = props;
  return (
    <WordsField
      id={`${act}-${name}`}
      name={name}
      label={label}
      hint={hint ?? `${OPERATOR_NOTE_GRAPHEMES}文字まで。`}
      max_graphemes={OPERATOR_NOTE_GRAPHEMES}
      initial={fields.typed[name] ?? ""}
      errors={fields.errors[name] ?? null}
      textarea={{ rows: 2, className: "control operator-note" }}
    />
  );
}

/** A field for one line. */
export function LineField(props: {
  act: string;
  name: string;
  label: string;
  hint?: string;
  fields: Fields;
  /** The value before anything is typed. */
  initial?: string;
  input?: InputHTMLAttributes<HTMLInputElement>;
}) {
  const { act, name, label, hint, fields, initial = "", input } = props;
  const id = `${act}-${name}`;
  const errors = fields.errors[name] ?? null;
  const ids = [hint && `${id}-hint`, errors && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        type="text"
        autoComplete="off"
        {...input}
        id={id}
        name={name}
        className="control"
        defaultValue={fields.typed[name] ?? initial}
        aria-invalid={errors ? true : undefined}
        aria-describedby={ids || undefined}
        // biome-ignore lint/a11y/noAutofocus: after a refused form, the person continues at the field to correct.
        autoFocus={Boolean(errors)}
      />
      {hint && (
        <div className="field-hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      <FieldErrors errors={errors} id={`${id}-error`} />
    </div>
  );
}
