import * as z from "zod";
import { OPERATOR_NOTE_GRAPHEMES } from "../bounds.ts";
import { text } from "../text.ts";

/** What the operations of several rooms of the desk share. */

export const describeText = (description: string, example: string) =>
  z.string().meta({ description, examples: [example] });

/** Why an operator does something. The audit row has it. */
export const givenReason = text({ label: "理由", max: OPERATOR_NOTE_GRAPHEMES }).meta({
  description: "理由。記録に残る",
  examples: ["盗まれたカードでの支払いが続いているため。"],
});

export const MAX_LISTED = 100;

/** A signed-in operator needs a recent proof for a write. A token signed with the key is always recent. */
export const ACT_ERRORS = ["recent_sign_in_required"] as const;

export const yen = (description: string, example: number) => z.int().meta({ description, examples: [example] });
