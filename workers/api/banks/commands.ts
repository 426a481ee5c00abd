import type { BankAccountInput } from "../../contract/banks.ts";
import { errorCatalogue } from "../../contract/errors.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { runBatch } from "../../storage/commit.ts";
import { commitLimited, memberId, type RequestContext, type Services } from "../http/request-context.ts";
import { oneOf } from "../storage/database.ts";
import type { Limit } from "../storage/limits.ts";
import { requireCreator } from "../users/commands.ts";
import { readBank } from "./bank-list.ts";
import { olderKeysOf, sealAccount, unsealAccount } from "./sealing.ts";

/** More registrations in a day than any person needs. */
export const BANK_ACCOUNT_LIMIT: Limit = { act: "bank_account", times: 20, window_ms: 24 * 60 * 60 * 1000 };

/**
 * Registers the caller's account for payouts, in place of an earlier one, writes its audit row, and announces it: its
 * owner gets a mail. Throws `bank_not_found`, `branch_not_found`, `creator_required`, `too_many_requests`.
 */
export async function updateBankAccount(context: RequestContext, typed: BankAccountInput): Promise<null> {
  const { database, now_ms, request_id } = context;
  const user_id = memberId(context);
  const { bank_code, branch_code, account_type, ...secret } = typed;
  const known = await readBank(bank_code);
  if (!known) throw faulty("bank_not_found", "bank_code");
  const branch = known.branches.find(({ code }) => code === branch_code);
  if (!branch) throw faulty("branch_not_found", "branch_code");
  const place = { bank_code, branch_code, account_type };
  const sealed = await sealAccount(context.bank_keys, { user_id, ...place }, secret);
  const names = { bank_name: known.bank.name, branch_name: branch.name };
  const change_id = newId(now_ms);
  const account_number_last3 = secret.account_number.slice(-3);
  const written = { ...place, ...names, ...sealed, updated_at: isoTime(now_ms) };
  const change = {
    preconditions: [requireCreator(user_id)],
    statements: [
      database
        .insertInto("bank_accounts")
        .values({ user_id, ...written })
        .onConflict((conflict) => conflict.column("user_id").doUpdateSet(written))
        .compile(),
      database
        .insertInto("bank_account_changes")
        .values({ change_id, user_id, ...place, request_id, changed_at: isoTime(now_ms) })
        .compile(),
    ],
    announcements: [
      {
        event: {
          kind: "bank_account_changed" as const,
          payload: { change_id, user_id, ...names, account_number_last3 },
        },
      },
    ],
  };
  return commitLimited(context, BANK_ACCOUNT_LIMIT, user_id, change, null);
}

function faulty(code: "bank_not_found" | "branch_not_found", field: string): Problem {
  return new Problem(code, { fields: { [field]: [errorCatalogue[code].detail] } });
}

/** How many accounts one run of the clock encrypts again. */
const RESEALED_AT_ONCE = 100;

/**
 * Encrypts accounts of older keys with the first key of BANK_KEYS, some in each run of the clock, so that a rotated key can
 * be removed. Skips accounts that cannot be decrypted.
 */
export async function resealAccounts({ database, d1, bank_keys }: Services): Promise<void> {
  const older = olderKeysOf(bank_keys);
  if (older.length === 0) return;
  const rows = await database
    .selectFrom("bank_accounts")
    .selectAll()
    .where("key_id", "in", oneOf(older))
    .limit(RESEALED_AT_ONCE)
    .execute();
  const statements = await Promise.all(
    rows.map(async (row) => {
      const secret = await unsealAccount(bank_keys, row);
      if (!secret) return [];
      const resealed = database
        .updateTable("bank_accounts")
        .set(await sealAccount(bank_keys, row, secret))
        .where("user_id", "=", row.user_id)
        // Unless its owner has registered another account meanwhile.
        .where("sealed", "=", row.sealed);
      return [resealed.compile()];
    }),
  );
  await runBatch(d1, statements.flat());
}
