import type { FieldMetadata } from "@conform-to/react";
import { InputField } from "../../ui/field.tsx";

/** A six-digit code, which phones fill in from the text message. `is_first`: focus the field when the page loads. */
export function CodeField({
  is_first = false,
  ...props
}: {
  field: FieldMetadata<string>;
  label: string;
  hint?: string;
  is_first?: boolean;
}) {
  return (
    <InputField
      {...props}
      type="text"
      input={{ className: "control code", autoComplete: "one-time-code", inputMode: "numeric", autoFocus: is_first }}
    />
  );
}
