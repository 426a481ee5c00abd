import { type Expression, sql } from "kysely";
import { findStandIn } from "../developer/providers.ts";
import { writeMail } from "../mails/commands.ts";
import type { SentGaps } from "../mails/texts.ts";
import type { Identity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";
import { maskNumber } from "./rules.ts";

/** Mails to the owner of an account about a change that a thief could make too. docs/decisions/0018 lists them. */

type OwnerMailKind =
  | "password_changed"
  | "sign_in_method_added"
  | "sign_in_method_removed"
  | "factor_added"
  | "factor_removed"
  | "recovery_codes_created"
  | "email_restored";
type Owner = Pick<Account, "local_id" | "email">;

/**
 * Returns the statement that mails the owner, for the batch of the change. An unproven address may be a stranger's, and
 * gets nothing.
 *
 * @param is_mailed a condition on the account's row, as it is when the statement runs. A statement before its change asks
 * whether the change will happen, so that a refused or repeated one mails nothing.
 */
export function mailOwner<K extends OwnerMailKind>(
  identity: Identity,
  { local_id, email }: Owner,
  kind: K,
  gaps: SentGaps[K],
  is_mailed: Expression<boolean> = sql`TRUE`,
) {
  const owner = identity.db
    .selectFrom("accounts")
    .select("local_id")
    .where("local_id", "=", local_id)
    .where("email", "=", email)
    .where("email_verified", "=", 1)
    .where(is_mailed);
  return writeMail(identity, { kind, recipient: email ?? "", local_id, gaps }, { only_if: sql`EXISTS ${owner}` });
}

/**
 * Returns the statement that mails the owner if the account has this new password. It follows the statement that sets the
 * password.
 */
export function mailPasswordChange(identity: Identity, { password_hash, ...owner }: Owner & { password_hash: string }) {
  return mailOwner(identity, owner, "password_changed", {}, sql`password_hash = ${password_hash}`);
}

/** Returns what a mail calls a sign-in method, in the language of the request. */
export function nameSignInMethod(
  { client: { language } }: Identity,
  provider_id: string,
  { password_hash, phone_number }: Pick<Account, "password_hash" | "phone_number">,
): string {
  if (provider_id === "phone") {
    return `${{ ja: "電話番号", en: "Telephone" }[language]} ${maskNumber(phone_number ?? "")}`;
  }
  if (provider_id !== "password") return findStandIn(provider_id)?.name ?? provider_id;
  // Firebase calls both `password`. An account without a password signs in by mailed links.
  return password_hash === null
    ? { ja: "メールのリンク", en: "Mailed link" }[language]
    : { ja: "パスワード", en: "Password" }[language];
}

/**
 * Returns the statement that mails the owner of an account that the next statement deletes. The mail names no account:
 * it would be deleted with it.
 *
 * @param held a query for the account, if it still exists and its address is proven.
 */
export function mailDeletion(identity: Identity, recipient: string, held: Expression<unknown>) {
  const mail = { kind: "account_deleted", recipient, local_id: null, gaps: {} } as const;
  return writeMail(identity, mail, { only_if: sql`EXISTS ${held}` });
}
