import type { MaskedBankAccount } from "../../../../workers/contract/banks.ts";
import { getBank } from "../../../../workers/contract/payouts.ts";
import type { V4 } from "../../../v4/client.ts";

/**
 * Reads the member's bank account. It is null if there is none, or if the stored one cannot be decrypted and must be registered
 * again. Throws any other refusal: an outage is no missing account.
 */
export async function readBank(v4: V4): Promise<{ account: MaskedBankAccount | null; is_unreadable: boolean }> {
  const sent = await v4.send(getBank, {});
  if (sent.ok) return { account: sent.answer.bank_account, is_unreadable: false };
  if (sent.refusal.code !== "bank_account_unreadable") throw v4.failure(sent.refusal);
  return { account: null, is_unreadable: true };
}
