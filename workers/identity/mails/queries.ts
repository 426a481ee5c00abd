import { requestTypeOf } from "../provider/rules.ts";
import type { Identity } from "../storage/database.ts";

const MAILS_SHOWN = 100;

/** Lists the newest mails and messages, newest first. */
export function listMails({ db }: Identity) {
  return db
    .selectFrom("mails")
    .select(["mail_id", "channel", "recipient", "subject", "text", "created_at", "kind", "gaps", "language"])
    .orderBy("created_at", "desc")
    .orderBy("mail_id", "desc")
    .limit(MAILS_SHOWN)
    .execute();
}

/**
 * Lists the codes in the outbox in the format of Firebase's emulator, oldest first. Reads them from the mails, because
 * codes themselves are stored hashed.
 */
export async function listOobCodes(identity: Identity) {
  const mails = await listMails(identity);
  return mails.reverse().flatMap(({ recipient, gaps }) => {
    const { link: oobLink } = JSON.parse(gaps ?? "{}") as { link?: string };
    if (!oobLink) return [];
    const { searchParams } = new URL(oobLink);
    const requestType = requestTypeOf(searchParams.get("mode") ?? "");
    return [{ email: recipient, requestType, oobCode: searchParams.get("oobCode") ?? "", oobLink }];
  });
}

/** Lists the codes of the text messages in the format of Firebase's emulator, oldest first. */
export async function listVerificationCodes(identity: Identity) {
  const mails = await listMails(identity);
  return mails.reverse().flatMap(({ channel, recipient, text }) => {
    const code = channel === "sms" ? text.match(/#(\d+)$/)?.[1] : undefined;
    return code ? [{ phoneNumber: recipient, code }] : [];
  });
}
