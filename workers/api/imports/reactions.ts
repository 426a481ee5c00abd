import type { CompiledQuery } from "kysely";
import { type ErrorCode, errorCatalogue } from "../../contract/errors.ts";
import { isoTime } from "../../kernel/clock.ts";
import { letOthersRun } from "../../kernel/heavy-work.ts";
import { Problem } from "../../kernel/problem.ts";
import type { RequestContext } from "../http/request-context.ts";
import { continuationStatement, type Reaction, type ReactionContext } from "../storage/outbox.ts";
import { removeObjects } from "../uploads/commands.ts";
import { ZipFault } from "../zip/reader.ts";
import { makers } from "./makers.ts";
import { listPlannedItems, type PlannedItem } from "./queries.ts";
import { importKey } from "./rules.ts";
import { openSource } from "./sources/open.ts";
import { SourceFault } from "./sources/source.ts";
import { noteItem, type Step } from "./step.ts";

/** Makes the next items of an import. Repeating it is harmless. */
export const continueImports: Reaction<"import_continues"> = ({ payload }, reacting) =>
  continueImport(reacting, payload);

/** How long one step of an import works, so that other outbox rows need not wait for long. One item may take longer. */
const STEP_MS = 8000;
const ITEMS_AT_ONCE = 20;

/**
 * Makes the next items of an import. Returns the statements that enqueue the next step, or end the import. Each item is
 * made in one batch that holds only while the item is planned, so a step that is repeated or runs twice makes it once.
 */
export async function continueImport(
  reacting: ReactionContext,
  { import_id, round }: { import_id: string; round: number },
): Promise<CompiledQuery[]> {
  const { database, media, pictures, now_ms, isOver } = reacting;
  const row = await database
    .selectFrom("imports")
    .select(["user_id", "kind", "bytes", "restores_status", "overwrites_profile"])
    .where("import_id", "=", import_id)
    .where("status", "=", "importing")
    .executeTakeFirst();
  if (!row) return [];
  const key = importKey(import_id);
  const step: Step = {
    context: actingContext(reacting, row.user_id),
    stores: { media, pictures },
    import_id,
    kind: row.kind,
    restores_status: row.restores_status === 1,
    overwrites_profile: row.overwrites_profile === 1,
    source: await openSource(row.kind, media, { key, bytes: row.bytes }),
  };
  const began_at = Date.now();
  for (;;) {
    const items = await listPlannedItems(database, import_id, ITEMS_AT_ONCE);
    for (const item of items) {
      await makeItem(step, item);
      await letOthersRun();
      // The clock may have been set back.
      if (Math.abs(Date.now() - began_at) >= STEP_MS || isOver()) {
        const event = { kind: "import_continues" as const, payload: { import_id, round: round + 1 } };
        return [continuationStatement(database, `import-${import_id}-${round + 1}`, event, now_ms)];
      }
    }
    if (items.length === 0) break;
  }
  return [
    database
      .updateTable("imports")
      .set({ status: "completed", completed_at: isoTime(now_ms) })
      .where("import_id", "=", import_id)
      .compile(),
    removeObjects(database, `imports/${import_id}/`, now_ms),
  ];
}

/** Returns the context in which a reaction acts as the member who began the import. */
function actingContext(reacting: ReactionContext, user_id: string): RequestContext {
  return {
    ...reacting,
    request_id: "",
    address_hash: null,
    idempotency: null,
    caller: { user_id, claims: { sub: "", auth_time: 0 } },
    announce: () => {},
  };
}

/**
 * Makes one item, or notes why it cannot be made. Throws when a later attempt may succeed: after an outage, or an error
 * that an operator has to look at. Content that the database refuses fails at each attempt.
 */
async function makeItem(step: Step, item: PlannedItem): Promise<void> {
  try {
    await makers[item.kind](step, item);
  } catch (error) {
    // Another step has made it meanwhile.
    if (!(await isPlanned(step, item))) return;
    const code = refusalOf(error);
    if (code === null) throw error;
    await noteItem(step, item, { state: "refused", reason: errorCatalogue[code].detail });
  }
}

function refusalOf(error: unknown): ErrorCode | null {
  if (error instanceof ZipFault || error instanceof SourceFault) return "file_broken";
  if (error instanceof Error && error.message.includes("SQLITE_CONSTRAINT")) return "file_broken";
  // Another page has changed the links at the same moment: a repetition reads them again.
  if (!(error instanceof Problem) || ["unavailable", "external_links_conflict"].includes(error.code)) return null;
  return error.code as ErrorCode;
}

async function isPlanned({ context, import_id }: Step, { position }: PlannedItem): Promise<boolean> {
  const row = await context.database
    .selectFrom("import_items")
    .select("state")
    .where("import_id", "=", import_id)
    .where("position", "=", position)
    .executeTakeFirst();
  return row?.state === "planned";
}
