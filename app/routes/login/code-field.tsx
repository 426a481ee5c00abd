import type { FieldMetadata } from "@conform-to/react";
import { InputField } from "../../ui/field.tsx";

/** Six digits that a telephone fills in by itself where it can. */
export function CodeField({ field, label, hint }: { field: FieldMetadata<string>; label: string; hint?: string }) {
  return (
    <InputField
      field={field}
      label={label}
      type="text"
      hint={hint}
      input={{ className: "control code", autoComplete: "one-time-code", inputMode: "numeric", autoFocus: true }}
    />
  );
}
