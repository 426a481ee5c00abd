import type { RequestContext, Services } from "../http/request-context.ts";
import { commitAnswer } from "../http/request-context.ts";
import { type PlannedItem, requirePlanned } from "./queries.ts";
import type { FileKind } from "./rules.ts";
import type { Source } from "./sources/source.ts";

/** A step of an import makes its next items. What the makers of the items share. */
export interface Step {
  context: RequestContext;
  stores: Pick<Services, "media" | "pictures">;
  import_id: string;
  kind: FileKind;
  restores_status: boolean;
  overwrites_profile: boolean;
  source: Source;
}

export interface Outcome {
  state: "done" | "skipped" | "refused";
  reason?: string | null;
  result_id?: string;
}

/** Returns the precondition that an item is not made yet, and the statement that notes what became of it. */
export function noteOf({ context, import_id }: Step, { position }: PlannedItem, outcome: Outcome) {
  const statement = context.database
    .updateTable("import_items")
    .set({ reason: null, result_id: null, ...outcome })
    .where("import_id", "=", import_id)
    .where("position", "=", position)
    .compile();
  return { preconditions: [requirePlanned(import_id, position)], statements: [statement] };
}

export const noteItem = (step: Step, item: PlannedItem, outcome: Outcome): Promise<null> =>
  commitAnswer(step.context, noteOf(step, item, outcome), null);

export const ALREADY_HERE = "すでにあります。";

export const alreadyHere = (result_id: string): Outcome => ({ state: "skipped", reason: ALREADY_HERE, result_id });
