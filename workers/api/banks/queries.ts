import {
  type Bank,
  type BankAccountType,
  type Branch,
  type MaskedBankAccount,
  PLACES_FOUND,
} from "../../contract/banks.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import type { RequestContext } from "../http/request-context.ts";
import { readBank, readBanks, toBank, toBranch } from "./bank-list.ts";
import { findPlaces, USUAL_BANKS } from "./rules.ts";
import { type AccountSecret, hasKey, unsealAccount } from "./sealing.ts";

/** A registered bank account, decrypted. Nothing of it may reach a log, and its number no answer. */
export interface BankAccount extends AccountSecret {
  user_id: string;
  bank_code: string;
  bank_name: string;
  branch_code: string;
  branch_name: string;
  account_type: BankAccountType;
  updated_at: string;
}

/**
 * Returns the account that receives a person's payouts, decrypted; null when there is none. Throws
 * `bank_account_unreadable`, and logs it. Throws `unavailable` while BANK_KEYS lacks the account's key, and logs it: during a
 * rotation and after a rollback another version has the key, and the person can do nothing.
 */
export async function findBankAccount(
  { database, bank_keys, request_id }: Pick<RequestContext, "database" | "bank_keys" | "request_id">,
  user_id: string,
): Promise<BankAccount | null> {
  const row = await database.selectFrom("bank_accounts").selectAll().where("user_id", "=", user_id).executeTakeFirst();
  if (!row) return null;
  if (!hasKey(bank_keys, row.key_id)) {
    logUnexpected(
      new Error(`BANK_KEYS has no key ${row.key_id}, which the bank account of ${user_id} needs`),
      request_id,
    );
    throw new Problem("unavailable");
  }
  const secret = await unsealAccount(bank_keys, row);
  if (!secret) {
    logUnexpected(new Error(`the bank account of ${user_id} cannot be decrypted with key ${row.key_id}`), request_id);
    throw new Problem("bank_account_unreadable");
  }
  const { sealed, key_id, ...columns } = row;
  return { ...columns, ...secret };
}

/** Returns an account as its owner sees it. */
export function toMaskedAccount(account: BankAccount): MaskedBankAccount {
  const { user_id, account_number, ...shown } = account;
  return { ...shown, account_number_last3: account_number.slice(-3) };
}

/** Returns the banks that match `q`; without it, the usual banks. */
export async function listBanks(q = ""): Promise<{ banks: Bank[]; has_more: boolean }> {
  const banks = await readBanks();
  const found =
    q.trim() === ""
      ? USUAL_BANKS.flatMap((usual) => banks.find(({ code }) => code === usual) ?? [])
      : findPlaces(banks, q);
  return { banks: found.slice(0, PLACES_FOUND).map(toBank), has_more: found.length > PLACES_FOUND };
}

/** Returns the branches of a bank that match `q`. Throws `not_found` for an unknown bank. */
export async function listBranches(
  bank_code: string,
  q = "",
): Promise<{ bank: Bank; branches: Branch[]; has_more: boolean }> {
  const known = await readBank(bank_code);
  if (!known) throw new Problem("not_found");
  const found = findPlaces(known.branches, q);
  return {
    bank: toBank(known.bank),
    branches: found.slice(0, PLACES_FOUND).map(toBranch),
    has_more: found.length > PLACES_FOUND,
  };
}
