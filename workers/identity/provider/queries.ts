import type { Identity } from "../storage/database.ts";
import type { Account, LinkedIdentity } from "../storage/schema.ts";
import { requestTypeOf } from "./rules.ts";

export function findAccount({ db }: Identity, local_id: string): Promise<Account | undefined> {
  return db.selectFrom("accounts").selectAll().where("local_id", "=", local_id).executeTakeFirst();
}

/** By an address in the spelling of `normaliseEmail`. */
export function findAccountByEmail({ db }: Identity, email: string): Promise<Account | undefined> {
  return db.selectFrom("accounts").selectAll().where("email", "=", email).executeTakeFirst();
}

/** By a number in E.164. */
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

/** The key that the account's sign-ins share now; undefined for an unknown account. */
export async function findSignOutKey({ db }: Identity, local_id: string): Promise<string | null | undefined> {
  const row = await db
    .selectFrom("accounts")
    .select("key_for_global_sign_out")
    .where("local_id", "=", local_id)
    .executeTakeFirst();
  return row?.key_for_global_sign_out;
}

const MAILS_SHOWN = 100;

/** The newest mails, newest first. */
export function listMails({ db }: Identity) {
  return db
    .selectFrom("mails")
    .select(["mail_id", "channel", "recipient", "subject", "text", "created_at"])
    .orderBy("created_at", "desc")
    .orderBy("mail_id", "desc")
    .limit(MAILS_SHOWN)
    .execute();
}

/** The codes of those mails as Firebase's emulator lists them, oldest first. Codes are stored hashed; only mails have them. */
export async function listOobCodes(identity: Identity) {
  const mails = await listMails(identity);
  return mails.reverse().flatMap(({ recipient, text }) => {
    const oobLink = text.match(/^https?:\S+[?&]oobCode=\S+$/m)?.[0];
    if (!oobLink) return [];
    const { searchParams } = new URL(oobLink);
    const requestType = requestTypeOf(searchParams.get("mode") ?? "");
    return [{ email: recipient, requestType, oobCode: searchParams.get("oobCode") ?? "", oobLink }];
  });
}

/** The codes of those messages as Firebase's emulator lists them, oldest first. */
export async function listVerificationCodes(identity: Identity) {
  const mails = await listMails(identity);
  return mails.reverse().flatMap(({ channel, recipient, text }) => {
    const code = channel === "sms" ? text.match(/#(\d+)$/)?.[1] : undefined;
    return code ? [{ phoneNumber: recipient, code }] : [];
  });
}
