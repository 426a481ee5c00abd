import { parseWithZod } from "@conform-to/zod/v4";
import type { z } from "zod";
import type { Refusal } from "../v4/client.ts";

export type ReadForm<Schema extends z.ZodType = z.ZodType> = ReturnType<typeof readForm<Schema>>;

/**
 * A form that an action was sent, judged by a schema. On the server only: browsers load neither schemas nor zod, and show
 * what comes back (docs/decisions/0013). Fields named in `secret` never come back.
 */
export function readForm<Schema extends z.ZodType>(form: FormData, schema: Schema, secret: string[] = []) {
  const submission = parseWithZod(form, { schema });
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

function errorsOf(why: string | Refusal | undefined, form: FormData) {
  if (why === undefined) return {};
  if (typeof why === "string") return { formErrors: [why] };
  const fieldErrors = Object.entries(why.fields).filter(([name]) => form.has(name));
  return fieldErrors.length > 0 ? { fieldErrors: Object.fromEntries(fieldErrors) } : { formErrors: [why.detail] };
}
