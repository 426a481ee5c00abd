import type { Generated, Selectable } from "kysely";

/** The tables as Kysely knows them; a test compares them with the migrations. Moments are ISO 8601 texts in UTC. */

/** SQLite's boolean. */
export type Flag = 0 | 1;

export interface AccountTable {
  local_id: string;
  /** Lower case, NFC; null only for an account that another identity provider keeps. */
  email: string | null;
  email_verified: Generated<Flag>;
  display_name: string | null;
  /** As `hashPassword` of provider/passwords.ts makes it. */
  password_hash: string | null;
  password_updated_at: string | null;
  disabled: Generated<Flag>;
  pib_id: string | null;
  /** Sign-ins before this moment are void. */
  valid_since: string;
  last_sign_in_at: string | null;
  created_at: string;
}
export type Account = Selectable<AccountTable>;

export type SignInProvider = "password" | "custom";

export interface RefreshTokenTable {
  token_hash: string;
  local_id: string;
  sign_in_provider: SignInProvider;
  key_for_global_sign_out: string;
  signed_in_at: string;
  last_used_at: string;
  revoked_at: string | null;
}

export interface GlobalSignOutTable {
  local_id: string;
  key: string;
  registered_at: string;
}

export type OobRequestType = "VERIFY_EMAIL" | "PASSWORD_RESET";

export interface OobCodeTable {
  code_hash: string;
  local_id: string;
  request_type: OobRequestType;
  expires_at: string;
  created_at: string;
}

export interface MailTable {
  mail_id: string;
  local_id: string;
  recipient: string;
  subject: string;
  text: string;
  created_at: string;
}

export interface SigningKeyTable {
  generation: number;
  kid: string;
  public_jwk: string;
  sealed_private_jwk: string;
  signs_from: string;
  created_at: string;
}

export type AttemptKind = "account_sign_in" | "address_sign_in" | "address_sign_up";

export interface AttemptTable {
  attempt_id: string;
  kind: AttemptKind;
  subject: string;
  attempted_at: string;
}

export interface IdentityTables {
  accounts: AccountTable;
  refresh_tokens: RefreshTokenTable;
  global_sign_outs: GlobalSignOutTable;
  oob_codes: OobCodeTable;
  mails: MailTable;
  signing_keys: SigningKeyTable;
  attempts: AttemptTable;
}
