import * as z from "zod";
import { isSendable } from "../contract/mails.ts";
import { isDemoProject, isLocal } from "../verifier/deployment.ts";
import type { ResendSettings } from "./transports/resend.ts";
import type { SmtpSettings } from "./transports/smtp.ts";
import type { Sender } from "./words/render.ts";

/** Where mails go. Null: nowhere yet. They wait in the table. */
export type MailEnd =
  | { kind: "kept" }
  | ({ kind: "smtp" } & SmtpSettings)
  | ({ kind: "resend" } & ResendSettings)
  | null;

export interface MailSettings {
  end: MailEnd;
  /** The address and the name that mails come from. */
  from: { address: string; name: string };
  sender: Sender;
  mails_per_second: number;
  /** Signs Resend's webhooks. Empty: none are taken. */
  webhook_secret: string;
}

/** Secrets that a deployment has only if its end needs them. */
interface MailSecrets {
  SMTP_PASSWORD?: string;
  RESEND_API_KEY?: string;
  RESEND_WEBHOOK_SECRET?: string;
}

const said = z.string().trim().min(1);
/** The part of the site's description that the footer names. The web worker checks the rest. */
const site = z.object({
  company_name: said,
  notice: z.object({ address: said, email: said, phone: said }),
});

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * Reads the settings. Returns the reasons why this deployment must not take mails, each a sentence: an end that is only
 * half described, an end for demos outside a demo, and a sender that the law does not accept.
 */
export function readMailSettings(env: MailsEnv): { settings: MailSettings; breaches: [] } | { breaches: string[] } {
  const secrets: MailSecrets = env as MailsEnv & MailSecrets;
  const described = site.safeParse(parseJson(env.SITE));
  const breaches = described.success
    ? []
    : ["SITE has no company_name, or notice.address, notice.email or notice.phone"];
  const mails_per_second = Number(env.MAILS_PER_SECOND);
  if (!(mails_per_second > 0 && mails_per_second <= 1000)) {
    breaches.push(`MAILS_PER_SECOND "${env.MAILS_PER_SECOND}" is no number above 0, up to 1000`);
  }
  if (env.MAIL_END !== "" && !URL.canParse(env.SITE_ORIGIN))
    breaches.push("SITE_ORIGIN is not the origin of the pages");
  const is_sent = env.MAIL_END !== "" && env.MAIL_END !== "kept";
  if (is_sent && !isSendable(env.MAIL_FROM)) breaches.push(`MAIL_FROM "${env.MAIL_FROM}" is no address`);
  const end = readEnd(env, secrets, breaches);
  if (!described.success || breaches.length > 0) return { breaches };
  const { company_name, notice } = described.data;
  return {
    settings: {
      end,
      from: { address: env.MAIL_FROM, name: env.MAIL_FROM_NAME },
      sender: {
        origin: env.SITE_ORIGIN,
        company_name,
        address: notice.address,
        contact_email: notice.email,
        contact_phone: notice.phone,
      },
      mails_per_second,
      webhook_secret: secrets.RESEND_WEBHOOK_SECRET ?? "",
    },
    breaches: [],
  };
}

/** The port on which servers speak TLS from the start. Source: RFC 8314, section 3.3. */
const TLS_PORT = 465;

function isEncryption(text: string): text is SmtpSettings["encryption"] {
  return text === "tls" || text === "starttls" || text === "off";
}

function readEnd(env: MailsEnv, { SMTP_PASSWORD = "", RESEND_API_KEY = "" }: MailSecrets, breaches: string[]): MailEnd {
  const { ENVIRONMENT, PROJECT_ID, MAIL_END, SMTP_HOST, SMTP_USER, SMTP_TLS } = env;
  const is_demo = isLocal(ENVIRONMENT) && isDemoProject(PROJECT_ID);
  switch (MAIL_END) {
    case "":
      return null;
    case "kept":
      if (!is_demo) breaches.push('MAIL_END is "kept", which shows every mail to everybody: it is only for a demo');
      return { kind: "kept" };
    case "smtp": {
      const port = Number(env.SMTP_PORT);
      const encryption = SMTP_TLS || (port === TLS_PORT ? "tls" : "starttls");
      if (SMTP_HOST === "") breaches.push("SMTP_HOST is empty");
      // Cloudflare refuses connections to port 25, where servers talk to servers.
      if (!Number.isInteger(port) || port < 1 || port > 65_535 || port === 25)
        breaches.push(`SMTP_PORT "${env.SMTP_PORT}" is no port for submission (587 or 465)`);
      if ((SMTP_USER === "") !== (SMTP_PASSWORD === ""))
        breaches.push("of SMTP_USER and SMTP_PASSWORD only one is set");
      if (!isEncryption(encryption)) {
        breaches.push(`SMTP_TLS is "${SMTP_TLS}", not tls, starttls, off or empty`);
        return null;
      }
      if (encryption === "off" && !isLocal(ENVIRONMENT)) {
        breaches.push('SMTP_TLS is "off", which sends mails readable by everybody');
      }
      const credentials = SMTP_USER === "" ? null : { user: SMTP_USER, password: SMTP_PASSWORD };
      return { kind: "smtp", host: SMTP_HOST, port, encryption, credentials };
    }
    case "resend":
      if (RESEND_API_KEY === "") breaches.push("RESEND_API_KEY is not set");
      return { kind: "resend", api_key: RESEND_API_KEY };
    default:
      breaches.push(`MAIL_END is "${MAIL_END}", not smtp, resend, kept or empty`);
      return null;
  }
}
