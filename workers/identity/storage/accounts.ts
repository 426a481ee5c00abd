import type { Insertable } from "kysely";
import { randomSecret } from "../../kernel/digest.ts";
import type { Account, AccountTable } from "./schema.ts";

export interface NewAccount {
  /** The account's id: 28 letters and digits, like Firebase's ids. */
  local_id: string;
  /** The e-mail address in lower case, NFC. */
  email: string;
  email_verified: boolean;
  display_name: string | null;
  /** The stored form of the password, from `hashPassword` in provider/passwords.ts. */
  password_hash: string;
  /** When the account was created (ISO 8601, UTC). */
  created_at: string;
}

/** The database's defaults for a new account. */
export const blankAccount = {
  disabled: 0,
  pib_id: null,
  last_sign_in_at: null,
  phone_number: null,
  photo_url: null,
  custom_claims: null,
} as const satisfies Partial<Account>;

/** Returns the row of an account with a password. Sign-up and the demo data insert it. */
export function accountRow(account: NewAccount) {
  return {
    local_id: account.local_id,
    email: account.email,
    email_verified: account.email_verified ? 1 : 0,
    display_name: account.display_name,
    password_hash: account.password_hash,
    signs_in_by_email: 1,
    password_updated_at: account.created_at,
    valid_since: account.created_at,
    created_at: account.created_at,
    key_for_global_sign_out: randomSecret(),
  } as const satisfies Insertable<AccountTable>;
}
