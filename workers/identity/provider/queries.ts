import type { Identity } from "../storage/database.ts";
import type { Account, LinkedIdentity } from "../storage/schema.ts";

export function findAccount({ db }: Identity, local_id: string): Promise<Account | undefined> {
  return db.selectFrom("accounts").selectAll().where("local_id", "=", local_id).executeTakeFirst();
}

/** Finds an account by its address, as `normaliseEmail` spells it. */
export function findAccountByEmail({ db }: Identity, email: string): Promise<Account | undefined> {
  return db.selectFrom("accounts").selectAll().where("email", "=", email).executeTakeFirst();
}

/** Finds an account by its number in E.164. */
export function findAccountByPhone({ db }: Identity, phone_number: string): Promise<Account | undefined> {
  return db.selectFrom("accounts").selectAll().where("phone_number", "=", phone_number).executeTakeFirst();
}

export function listLinkedIdentities({ db }: Identity, local_id: string): Promise<LinkedIdentity[]> {
  return db
    .selectFrom("linked_identities")
    .selectAll()
    .where("local_id", "=", local_id)
    .orderBy("provider_id")
    .execute();
}

/** Returns the key that the account's sign-ins share now. Returns undefined for an unknown account. */
export async function findSignOutKey({ db }: Identity, local_id: string): Promise<string | null | undefined> {
  const row = await db
    .selectFrom("accounts")
    .select("key_for_global_sign_out")
    .where("local_id", "=", local_id)
    .executeTakeFirst();
  return row?.key_for_global_sign_out;
}
