import { FieldErrors } from "../../ui/form-errors.tsx";
import type { letterChoices } from "./letter-lists.server.ts";

/** The fields for the stamp and the paper of a letter: radio buttons whose labels show the picture. */
export const LetterChoices = (props: {
  /** From the loader. */
  choices: typeof letterChoices;
  initial: Record<string, unknown>;
  errors: Record<string, string[] | null> | null | undefined;
}) =>
  props.choices.map(({ name, label, names }) => (
    <fieldset key={name} className="field letter-choices">
      <legend>{label}</legend>
      {Object.entries(names).map(([id, text]) => (
        <label key={id} className="letter-choice">
          <img src={`/letter-looks/${id || "none"}.svg`} alt="" />
          <input type="radio" name={name} value={id} defaultChecked={(props.initial[name] ?? "") === id} />
          {text}
        </label>
      ))}
      <FieldErrors errors={props.errors?.[name]} />
    </fieldset>
  ));
