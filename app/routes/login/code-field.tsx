import type { FieldMetadata } from "@conform-to/react";
import { InputField } from "../../ui/field.tsx";

/** Six digits that a telephone fills in by itself where it can. `is_first`: the page is about nothing else, and begins there. */
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
