import { descriptionOf, Field, type FieldProps, Notes, useShown } from "./field.tsx";
import { type Choice, Radios } from "./radios.tsx";

/** A drop-down list. */
export function SelectField(given: FieldProps & { choices: readonly Choice[]; placeholder?: string }) {
  const props = useShown(given);
  const { field, choices, placeholder } = props;
  return (
    <Field {...props}>
      <select
        key={field.key}
        id={field.id}
        name={field.name}
        defaultValue={field.initialValue ?? ""}
        className="control"
        {...descriptionOf(props)}
      >
        {placeholder && <option value="">{placeholder}</option>}
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** A checkbox. */
export function CheckField(given: FieldProps) {
  const { field, label, hint, errors, onInput } = useShown(given);
  return (
    <div className="field" onInput={onInput}>
      <label className="check">
        <input
          key={field.key}
          type="checkbox"
          name={field.name}
          defaultChecked={field.initialValue === "on"}
          {...descriptionOf({ field, hint, errors })}
        />
        <span>{label}</span>
      </label>
      <Notes field={field} hint={hint} errors={errors} />
    </div>
  );
}

/** Radio buttons with a note each, bound to a form field. */
export function RadioCards(props: FieldProps & { choices: readonly Choice[] }) {
  const { field, label, hint, choices } = props;
  return (
    <Radios
      id={field.id}
      name={field.name}
      label={label}
      hint={hint}
      choices={choices}
      initial={field.initialValue}
      errors={field.errors}
    />
  );
}
