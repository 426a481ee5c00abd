/** The ledger in tests: posting, and the check that every suite about money ends with. */
import { expect } from "vitest";
import { checkNextPart } from "../../../workers/api/ledger/check.ts";
import { postTransfer } from "../../../workers/api/ledger/commands.ts";
import type { Transfer } from "../../../workers/api/ledger/rules.ts";
import { commit } from "../../../workers/api/storage/commit.ts";
import { openDatabase } from "../../../workers/api/storage/database.ts";
import { d1, NOW_MS } from "./context.ts";

/** Posts transfers in one commit. */
export async function post(transfers: Transfer | readonly Transfer[], now_ms = NOW_MS): Promise<void> {
  const database = openDatabase(d1);
  const list = Array.isArray(transfers) ? transfers : [transfers];
  const statements = list.flatMap((transfer) => postTransfer({ database, now_ms }, transfer));
  await commit({ d1, database, now_ms, idempotency: null }, { statements });
}

/** Fails with the names of broken invariants. Call it in `afterEach` or `afterAll` of every suite that moves money. */
export async function expectSoundLedger(): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    const { breaches, next }: Awaited<ReturnType<typeof checkNextPart>> = await checkNextPart(openDatabase(d1), after);
    expect(breaches).toEqual([]);
    after = next;
  }
}
