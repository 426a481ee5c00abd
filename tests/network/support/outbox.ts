import { api } from "../../support/network.ts";

interface Mail {
  channel: "mail" | "sms";
  recipient: string;
  /** The text of a message. The link of a mail, whose words the mails worker writes. */
  text: string;
  language: string;
}

/** Returns the mails and messages of the identity worker to a recipient, newest first. */
export async function mailsTo(recipient: string): Promise<Mail[]> {
  const { json } = await api("GET", "/emulator/v1/projects/demo-ofuse/mails");
  const { mails } = json as { mails: (Mail & { gaps: string })[] };
  return mails
    .filter((mail) => mail.recipient === recipient)
    .map(({ gaps, ...mail }) => ({ ...mail, text: mail.text || (JSON.parse(gaps) as { link?: string }).link || "" }));
}

/** Returns the path and query of the link in a mail. */
export function linkIn({ text }: Omit<Mail, "language">): string {
  const { pathname, search } = new URL(/https?:\/\/\S+/.exec(text)?.[0] ?? "");
  return pathname + search;
}

/** Returns the six digits in a message. */
export const codeIn = ({ text }: Omit<Mail, "language">): string => /\b\d{6}\b/.exec(text)?.[0] ?? "";
