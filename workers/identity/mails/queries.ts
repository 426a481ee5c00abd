import { requestTypeOf } from "../provider/rules.ts";
import type { Identity } from "../storage/database.ts";

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
