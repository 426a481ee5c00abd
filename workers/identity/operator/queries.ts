import { toNormalForm } from "../../contract/normal-form.ts";
import type { IdentityAccount } from "../../contract/operator.ts";
import { findAccount, findAccountByEmail, listLinkedIdentities } from "../provider/queries.ts";
import type { Identity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";

/** Returns the account with this id or address. Returns undefined if there is none. */
export async function findAccountOf(identity: Identity, who: string): Promise<Account | undefined> {
  return (await findAccount(identity, who)) ?? findAccountByEmail(identity, toNormalForm(who).trim().toLowerCase());
}

/** Returns the account as operators see it: its sign-in methods, and none of its secrets. */
export async function describeAccount(identity: Identity, account: Account): Promise<IdentityAccount> {
  const { db } = identity;
  const { local_id } = account;
  const [linked, factors, signIns] = await Promise.all([
    listLinkedIdentities(identity, local_id),
    db.selectFrom("factors").select("kind").where("local_id", "=", local_id).orderBy("enrolled_at").execute(),
    db
      .selectFrom("sign_ins")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("local_id", "=", local_id)
      .where("revoked_at", "is", null)
      .executeTakeFirstOrThrow(),
  ]);
  return {
    uid: local_id,
    email: account.email,
    is_email_verified: account.email_verified === 1,
    name: account.display_name,
    phone_number: account.phone_number,
    has_password: account.password_hash !== null,
    signs_in_by_email: account.signs_in_by_email === 1,
    providers: linked.map(({ provider_id }) => provider_id),
    factors: factors.map(({ kind }) => kind),
    claims: account.custom_claims === null ? null : JSON.parse(account.custom_claims),
    is_disabled: account.disabled === 1,
    sign_ins_count: signIns.count,
    last_sign_in_at: account.last_sign_in_at,
    created_at: account.created_at,
  };
}
