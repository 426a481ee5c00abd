import { sql } from "kysely";
import { Problem } from "../../kernel/problem.ts";
import { revokeRefreshTokens } from "../general/commands.ts";
import { claimsBreach } from "../provider/custom-claims.ts";
import { mailCode } from "../provider/oob-mails.ts";
import { mailOwner } from "../provider/owner-mails.ts";
import { hashPassword } from "../provider/passwords.ts";
import { findAccount } from "../provider/queries.ts";
import { Refusal } from "../provider/refusal.ts";
import { checkNewPassword, newLocalId, normaliseEmail } from "../provider/rules.ts";
import { accountRow } from "../storage/accounts.ts";
import { commit, type Identity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";
import { notifySignedOut } from "../watch/tell.ts";

/** Operators' acts on accounts of the embedded provider. Repeating an act changes nothing. */

interface NewAccount {
  email: string;
  name: string;
  is_email_verified: boolean;
  /** The new account's password. Null mails a link by which the person sets a password. */
  password: string | null;
}

/** Creates an account. Throws the problems `email_taken` and `validation_failed`. */
export async function createAccount(identity: Identity, given: NewAccount): Promise<Account> {
  const { db, now } = identity;
  const email = checkField("email", "メールアドレスを正しく入力してください。", () => normaliseEmail(given.email));
  const { password } = given;
  if (password !== null) {
    checkField("password", "パスワードは8文字以上150文字以内で入力してください。", () => checkNewPassword(password));
  }
  const local_id = newLocalId();
  const password_hash = password === null ? null : await hashPassword(password);
  const known = { local_id, email, email_verified: given.is_email_verified, display_name: given.name || null };
  const row = {
    ...accountRow({ ...known, password_hash: password_hash ?? "", created_at: now }),
    password_hash,
    password_updated_at: password_hash && now,
  };
  const code = { request_type: "PASSWORD_RESET", local_id, email } as const;
  const mail = password === null ? await mailCode(identity, code, email) : [];
  await commit(identity, db.insertInto("accounts").values(row), ...mail).catch((error: Error) => {
    const is_taken = error.message.includes("UNIQUE constraint failed: accounts.email");
    throw is_taken ? new Problem("email_taken", { cause: error }) : error;
  });
  return requireAccount(identity, local_id);
}

function checkField<T>(field: string, sentence: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof Refusal ? new Problem("validation_failed", { fields: { [field]: [sentence] } }) : error;
  }
}

/**
 * Disables or enables the account. Disabling revokes every sign-in permanently, by a trigger
 * (0004_shared_sign_out_keys.sql).
 */
export async function setDisabled(identity: Identity, local_id: string, is_disabled: boolean): Promise<void> {
  await changeAccount(identity, local_id, { disabled: is_disabled ? 1 : 0 });
  if (is_disabled) notifySignedOut(identity, local_id);
}

export function signOut(identity: Identity, local_id: string): Promise<void> {
  return revokeRefreshTokens(identity, local_id);
}

/** Removes every second factor and recovery code, mails the owner, and signs out everywhere. */
export async function removeFactors(identity: Identity, local_id: string): Promise<void> {
  const { db } = identity;
  const account = await requireAccount(identity, local_id);
  const has_factors = sql<boolean>`EXISTS (SELECT 1 FROM factors WHERE factors.local_id = accounts.local_id)`;
  await commit(
    identity,
    // An operator's call does not say the person's language.
    mailOwner(identity, account, "factor_removed", { factor: "すべての方法", factors_left: 0 }, has_factors),
    db.deleteFrom("factors").where("local_id", "=", local_id),
    db.deleteFrom("recovery_codes").where("local_id", "=", local_id),
  );
  await revokeRefreshTokens(identity, local_id);
}

/**
 * Sets the account's custom claims. Throws the problem `validation_failed` for a claim that the provider itself makes, for too many
 * claims, and for a name of an operator that the API would not take.
 */
export async function setClaims(
  identity: Identity,
  local_id: string,
  claims: Record<string, unknown> | null,
): Promise<void> {
  const custom_claims = claims && JSON.stringify(claims);
  if (custom_claims && claimsBreach(custom_claims)) {
    const sentence =
      "認証サービスが使う名前は指定できません。operator は、半角の英数字と . @ + - _ で64文字までの名前にしてください。全体で1000文字以内です。";
    throw new Problem("validation_failed", { fields: { claims: [sentence] } });
  }
  await changeAccount(identity, local_id, { custom_claims });
}

async function changeAccount(
  { db }: Identity,
  local_id: string,
  to: { disabled?: 0 | 1; custom_claims?: string | null },
) {
  await db.updateTable("accounts").set(to).where("local_id", "=", local_id).execute();
}

/** Returns the account. Throws the problem `not_found` for an unknown account. */
export async function requireAccount(identity: Identity, local_id: string): Promise<Account> {
  const account = await findAccount(identity, local_id);
  if (!account) throw new Problem("not_found");
  return account;
}
