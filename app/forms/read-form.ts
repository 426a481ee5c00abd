import { parseWithZod } from "@conform-to/zod/v4";
import * as z from "zod";
import type { Refusal } from "../v4/client.ts";

export type ReadForm<Schema extends z.ZodObject = z.ZodObject> = ReturnType<typeof readForm<Schema>>;

/**
 * Checks a submitted form against a schema. Fields that the schema does not name are ignored and not returned; fields
 * in `secret` are checked and not returned. On the server only: browsers load no zod and show the result
 * (docs/decisions/0013).
 */
export function readForm<Schema extends z.ZodObject>(form: FormData, schema: Schema, secret: string[] = []) {
  const submission = parseWithZod(pickFields(form, schema), { schema, error: describeUnexpected });
  return {
    /** The parsed fields, or null when the schema refuses them. */
    value: submission.status === "success" ? submission.value : null,
    /**
     * Returns the form with what was typed and its errors: those of the schema, or `why`. A string is shown above the
     * form, a refusal of the API at the fields it names.
     */
    toResult(why?: string | Refusal) {
      const result = submission.reply({ ...errorsOf(why, form), hideFields: secret });
      return result.error ? { ...result, error: keepFirst(result.error) } : result;
    },
  };
}

/** The sentence for a value that no form of ours sends, whose schema has no words of its own. */
export const describeUnexpected = () => "入力の内容を確認してください。";

/** Keeps the first sentence of each field: two checks of a text may refuse it for one fault. */
const keepFirst = (errors: Record<string, string[] | null>) =>
  Object.fromEntries(Object.entries(errors).map(([name, sentences]) => [name, sentences?.slice(0, 1) ?? null]));

/** Returns what was typed into the fields that the schema names. Fields that were not sent are missing. */
export function typedFields(form: FormData, schema: z.ZodObject): Record<string, string> {
  return Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => {
      const typed = form.get(name);
      return typeof typed === "string" ? [[name, typed]] : [];
    }),
  );
}

/**
 * Returns the fields that the schema names: every value of a list, the first value of any other field. Conform must see
 * no other name. It reads names as paths (`email[99999999]` allocates such a list), and `__intent__` and `__state__` as
 * commands.
 */
function pickFields(form: FormData, schema: z.ZodObject): FormData {
  const fields = new FormData();
  for (const [name, field] of Object.entries(schema.shape)) {
    const values = form.getAll(name);
    for (const value of field instanceof z.ZodArray ? values : values.slice(0, 1)) fields.append(name, value);
  }
  return fields;
}

function errorsOf(why: string | Refusal | undefined, form: FormData) {
  if (why === undefined) return {};
  if (typeof why === "string") return { formErrors: [why] };
  const fieldErrors = Object.entries(why.fields).filter(([name]) => form.has(name));
  return fieldErrors.length > 0 ? { fieldErrors: Object.fromEntries(fieldErrors) } : { formErrors: [why.detail] };
}
