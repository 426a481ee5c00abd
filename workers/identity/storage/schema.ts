import type { Generated, Selectable } from "kysely";
import type { MailLanguage } from "../../contract/notifications.ts";
import type { ClockRun } from "../../storage/clock-runs.ts";

/** The tables as Kysely types; a test compares them with the migrations. Times are ISO 8601 texts in UTC. */

/** A boolean as SQLite stores it. */
export type Flag = 0 | 1;

export interface AccountTable {
  local_id: string;
  /** The e-mail address in lower case, NFC. Null only for an account that Firebase keeps. */
  email: string | null;
  email_verified: Generated<Flag>;
  display_name: string | null;
  /** The stored form of the password, from `hashPassword` in provider/passwords.ts. */
  password_hash: string | null;
  password_updated_at: string | null;
  disabled: Generated<Flag>;
  pib_id: string | null;
  /** Sign-ins before this moment are void. */
  valid_since: string;
  last_sign_in_at: string | null;
  created_at: string;
  /** The telephone number in E.164. */
  phone_number: Generated<string | null>;
  /** True for a sign-in by password or by mailed link. */
  signs_in_by_email: Generated<Flag>;
  photo_url: Generated<string | null>;
  /** A JSON object of custom claims. Every ID token carries its members. */
  custom_claims: Generated<string | null>;
  /**
   * The key for global sign-out. The account's sign-ins share it until a sign-out uses it. Triggers create and replace
   * it.
   */
  key_for_global_sign_out: Generated<string | null>;
}
export type Account = Selectable<AccountTable>;

/** The person's id at another provider: `google.com`, `apple.com`, `twitter.com`, `oidc.line`. */
export interface LinkedIdentityTable {
  provider_id: string;
  federated_id: string;
  local_id: string;
  email: string | null;
  display_name: string | null;
  photo_url: string | null;
  linked_at: string;
}
export type LinkedIdentity = Selectable<LinkedIdentityTable>;

/** How a person signed in: `password`, `emailLink`, `phone`, `custom`, or the id of another provider. */
export type SignInProvider = string;
export type SecondFactor = "totp" | "phone" | "recovery";

/** A signed-in browser, which has one family of refresh tokens. */
export interface SignInTable {
  /** The id of the sign-in. Its tokens carry the id as `signInId`. */
  sign_in_id: string;
  local_id: string;
  sign_in_provider: SignInProvider;
  second_factor: Generated<SecondFactor | null>;
  second_factor_id: Generated<string | null>;
  /** The User-Agent of the sign-in; empty if none was sent. */
  device: Generated<string>;
  signed_in_at: string;
  last_used_at: string;
  revoked_at: string | null;
}

export interface RefreshTokenTable {
  token_hash: string;
  sign_in_id: string;
  created_at: string;
  /** When the token's successor was first issued. */
  rotated_at: string | null;
}

export interface FactorTable {
  factor_id: string;
  local_id: string;
  kind: "totp" | "phone";
  display_name: string | null;
  sealed_secret: string | null;
  last_step: number | null;
  phone_number: string | null;
  enrolled_at: string;
}
export type Factor = Selectable<FactorTable>;

export interface RecoveryCodeTable {
  local_id: string;
  code_hash: string;
  created_at: string;
}

export type ChallengeKind =
  | "phone_code"
  | "totp_enrolment"
  | "second_factor"
  | "federated"
  | "pending_credential"
  | "developer_code";

export interface ChallengeTable {
  challenge_hash: string;
  kind: ChallengeKind;
  local_id: string | null;
  detail: string;
  failures: Generated<number>;
  expires_at: string;
  created_at: string;
}

export interface GlobalSignOutTable {
  local_id: string;
  key: string;
  registered_at: string;
}

export type OobRequestType =
  | "VERIFY_EMAIL"
  | "PASSWORD_RESET"
  | "EMAIL_SIGNIN"
  | "VERIFY_AND_CHANGE_EMAIL"
  | "RECOVER_EMAIL";

export interface OobCodeTable {
  code_hash: string;
  request_type: OobRequestType;
  /** The account of the code. Null for an EMAIL_SIGNIN code of an address without an account. */
  local_id: string | null;
  email: string | null;
  new_email: string | null;
  expires_at: string;
  created_at: string;
}

export interface MailTable {
  mail_id: string;
  channel: Generated<"mail" | "sms">;
  local_id: string | null;
  recipient: string;
  /** Empty for a mail: the mails worker writes its words. */
  subject: string;
  text: string;
  created_at: string;
  /** What to hand over; null for a row of an older version. */
  kind: Generated<string | null>;
  /** The values of the gaps, as JSON. */
  gaps: Generated<string | null>;
  /** When the mails worker took the mail. */
  handed_at: Generated<string | null>;
  language: Generated<MailLanguage>;
}

export interface SigningKeyTable {
  generation: number;
  kid: string;
  public_jwk: string;
  sealed_private_jwk: string;
  signs_from: string;
  created_at: string;
}

/** The kinds of counted attempts. provider/attempts.ts documents each. */
export type AttemptKind =
  | "account_sign_in"
  | "known_sign_in"
  | "address_sign_in"
  | "address_sign_up"
  | "recipient_mail"
  | "account_and_recipient_mail"
  | "all_accounts_recipient_mail"
  | "address_mail"
  | "address_link"
  | "address_first_key"
  | "account_recovery_codes"
  | "account_second_factor"
  | "number_code"
  | "number_and_address_code"
  | "address_code";

/** The developer identity provider's only key; `sealed_private_jwk` is a JWE under ENCRYPTION_KEY. */
export interface DeveloperKeyTable {
  key_id: number;
  public_jwk: string;
  sealed_private_jwk: string;
  created_at: string;
}

export interface AttemptTable {
  attempt_id: string;
  kind: AttemptKind;
  subject: string;
  attempted_at: string;
}

/** A key with which the first operator of a site registers. */
export interface FirstOperatorKeyTable {
  key_hash: string;
  created_at: string;
}

/** A network from which the account was signed in. */
export interface KnownNetworkTable {
  local_id: string;
  /** The HMAC of the network under ENCRYPTION_KEY. */
  network_hash: string;
  last_seen_at: string;
}

export interface IdentityTables {
  accounts: AccountTable;
  linked_identities: LinkedIdentityTable;
  sign_ins: SignInTable;
  refresh_tokens: RefreshTokenTable;
  factors: FactorTable;
  recovery_codes: RecoveryCodeTable;
  challenges: ChallengeTable;
  global_sign_outs: GlobalSignOutTable;
  oob_codes: OobCodeTable;
  mails: MailTable;
  signing_keys: SigningKeyTable;
  developer_keys: DeveloperKeyTable;
  attempts: AttemptTable;
  known_networks: KnownNetworkTable;
  first_operator_keys: FirstOperatorKeyTable;
  clock_runs: ClockRun;
}
