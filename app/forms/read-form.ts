import { parseWithZod } from "@conform-to/zod/v4";
import { z } from "zod";
import type { Refusal } from "../v4/client.ts";

export type ReadForm<Schema extends z.ZodObject = z.ZodObject> = ReturnType<typeof readForm<Schema>>;

/**
 * Judges a form that an action was sent, by a schema. Fields that the schema does not name are not looked at and do not come
 * back; those named in `secret` are judged and do not come back. On the server only: browsers load neither schemas nor zod,
 * and show what comes back (docs/decisions/0013).
 */
export function readForm<Schema extends z.ZodObject>(form: FormData, schema: Schema, secret: string[] = []) {
  const submission = parseWithZod(pickFields(form, schema), { schema });
  return {
    /** What was typed, as the schema has it; null where it refuses it. */
    value: submission.status === "success" ? submission.value : null,
    /**
     * The form with everything that was typed and what is wrong with it: what the schema said; or `why`, a sentence over
     * the form or the API's refusal, which stands beside the fields it names.
     */
    refused(why?: string | Refusal) {
      return submission.reply({ ...errorsOf(why, form), hideFields: secret });
    },
  };
}

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
 * The fields that the schema names: of a list every value, of any other the first. Conform takes each name it is given for a
 * path (`email[99999999]` makes so long a list) and the names `__intent__` and `__state__` for orders to itself.
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
