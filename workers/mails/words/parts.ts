import type { Document } from "../../contract/document.ts";
import type { MailGaps, MailKind, NewsletterMail } from "../../contract/mails.ts";
import type { MailLanguage } from "../../contract/notifications.ts";

/** The pictures that a document may show. */
export type Pictures = NewsletterMail["pictures"];

/** A mail in parts. Text and HTML are made of the same parts (render.ts). */
export type Part =
  /** A paragraph. Line breaks stay. */
  | string
  /** The link that the mail is about: a button, and the address below it. */
  | { link: string; label: string }
  /** A table of facts: heading and value. */
  | { facts: readonly (readonly [heading: string, value: string])[] }
  /** A text that a creator wrote, and its pictures. */
  | { blocks: Document; pictures: Pictures };

/** The words of a kind of mail in each language. */
export type InLanguages<K extends MailKind> = { readonly [L in MailLanguage]: (gaps: MailGaps[K]) => Words };

export interface Words {
  subject: string;
  parts: readonly Part[];
  /** A title above the parts, with a line above it that says what it is. */
  heading?: { title: string; note: string };
  /** How the receiver stops such mails, and why they get this one. Mails about the account or about money have none. */
  stop?: { link: string; reason: string };
}
