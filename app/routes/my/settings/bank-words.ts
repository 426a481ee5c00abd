import type { BankAccountType } from "../../../../workers/contract/banks.ts";

/** The Japanese names of the types of accounts. */
export const accountTypes: Record<BankAccountType, string> = { futsu: "普通", toza: "当座", chochiku: "貯蓄" };

/** The types that can be registered. Accounts of before may have another one. */
export const PAYABLE_TYPES = ["futsu", "toza"] as const satisfies readonly BankAccountType[];

/** The page where a creator registers an account. Its address holds what was chosen so far. */
export const EDIT_PATH = "/my/settings/bank/edit";
export const editPath = (chosen: { bank_code: string; branch_code?: string }): string =>
  `${EDIT_PATH}?${new URLSearchParams(chosen)}`;
