import { getInputProps } from "@conform-to/react";
import { useState } from "react";
import { descriptionOf, Field, type FieldProps, useShown } from "./field.tsx";
import { useHydrated } from "./hydrated.ts";

/**
 * A password field with a checkbox to show the password. The checkbox appears only where a script handles it: after
 * hydration on members' pages, through app/visitor/passwords.ts on visitors' pages.
 */
export function PasswordField(
  given: FieldProps & { autoComplete: "current-password" | "new-password"; autoFocus?: boolean },
) {
  const props = useShown(given);
  const { field, autoComplete, autoFocus } = props;
  const is_hydrated = useHydrated();
  const [is_shown, setShown] = useState(false);
  const { key, ...attributes } = getInputProps(field, {
    type: is_shown ? "text" : "password",
    ariaAttributes: false,
  });
  return (
    <Field {...props}>
      <input
        key={key}
        className="control"
        {...attributes}
        autoComplete={autoComplete}
        autoCapitalize="none"
        spellCheck={false}
        {...descriptionOf(props, autoFocus)}
      />
      <label className={is_hydrated ? "check" : "check not-yet"}>
        <input
          type="checkbox"
          data-shows={field.id}
          checked={is_shown}
          onChange={({ currentTarget }) => setShown(currentTarget.checked)}
        />
        入力した文字を表示する
      </label>
    </Field>
  );
}
