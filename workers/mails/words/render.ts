import type { MailLanguage } from "../../contract/notifications.ts";
import { documentHtml, documentText } from "./document.ts";
import type { Part, Words } from "./parts.ts";
import { escapeHtml, FONT, PARAGRAPH, SMALL } from "./styles.ts";

/** Renders the parts of a mail as text and as HTML, with the footer that the law requires. */

/** The sender as the footer names it. Source: 特定電子メール法 第4条, 同施行規則 第9条. */
export interface Sender {
  /** The origin of the site. */
  origin: string;
  company_name: string;
  address: string;
  /** Where complaints and questions go. */
  contact_email: string;
  contact_phone: string;
}

interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

/** Returns the mail. Its subject has no control characters, so that no header can be added by a gap. */
export function renderMail(words: Words, sender: Sender, language: MailLanguage = "ja"): RenderedMail {
  const frame = FRAMES[language];
  const { subject, heading, parts } = words;
  const head = heading ? [`${heading.note}\n■ ${heading.title}`] : [];
  return {
    subject: subject.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "),
    text: `${[...head, ...parts.map((part) => textOfPart(part, frame)), textFooter(words, sender, frame)].join("\n\n")}\n`,
    html: htmlOf(words, sender, language),
  };
}

function textOfPart(part: Part, { colon }: Frame): string {
  if (typeof part === "string") return part;
  if ("link" in part) return part.link;
  if ("blocks" in part) return documentText(part.blocks, part.pictures);
  return part.facts.map(([heading, value]) => `${heading}${colon}${value}`).join("\n");
}

/** The words around a mail. */
interface Frame {
  colon: string;
  company: string;
  address: string;
  contact: string;
  phoneOf(number: string): string;
  /** In place of a link that stops the mail. */
  always_sent: string;
  stop: string;
  stop_button: string;
  /** Above the address of a button. */
  plain_link: string;
}

const FRAMES: { readonly [L in MailLanguage]: Frame } = {
  ja: {
    colon: "：",
    company: "送信者",
    address: "所在地",
    contact: "お問い合わせ・苦情窓口",
    phoneOf: (number) => `（電話 ${number}）`,
    always_sent: "このメールは、ofuseのご利用に関する大切なお知らせのため、配信停止の対象ではありません。",
    stop: "配信停止",
    stop_button: "配信を停止する・受け取りの設定を変える",
    plain_link: "ボタンを押せないときは、次のアドレスを開いてください。",
  },
  en: {
    colon: ": ",
    company: "Sender",
    address: "Address",
    contact: "Questions and complaints",
    phoneOf: (number) => ` (telephone ${number})`,
    always_sent: "This mail is about your use of ofuse, so it cannot be turned off.",
    stop: "Unsubscribe",
    stop_button: "Unsubscribe, or choose what you get",
    plain_link: "If the button does not work, please open this address.",
  },
};

function textFooter({ stop }: Words, sender: Sender, frame: Frame): string {
  const { origin, company_name, address, contact_email, contact_phone } = sender;
  const { colon } = frame;
  return `--
ofuse ${origin}
${frame.company}${colon}${company_name}
${frame.address}${colon}${address}
${frame.contact}${colon}${contact_email}${frame.phoneOf(contact_phone)}
${stop ? `${stop.reason}\n${frame.stop}${colon}${stop.link}` : frame.always_sent}`;
}

/** Clients that know no style sheet show the colours of the attributes; those that do follow the reader's theme. */
const STYLES = `:root{color-scheme:light dark;supported-color-schemes:light dark}
a{color:#1f7092}
@media (prefers-color-scheme:dark){
.page{background:#12181b!important}.card{background:#1b2327!important}
.words,.words a.plain{color:#e7edef!important}.words a.link{color:#6cc0e0!important}.quiet,.quiet a{color:#a3b1b7!important}
.button{background:#6cc0e0!important}.button a{color:#0c1b22!important}
.rule{border-color:#303b41!important}
}`;

function htmlOfPart(part: Part, frame: Frame): string {
  if (typeof part === "string") {
    return `<p class="words" style="${PARAGRAPH};color:#1d272b">${escapeHtml(part).replaceAll("\n", "<br>")}</p>`;
  }
  if ("link" in part) {
    const href = escapeHtml(part.link);
    return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 12px"><tr>
<td class="button" bgcolor="#1f7092" style="background:#1f7092;border-radius:999px"><a href="${href}" style="${FONT};display:inline-block;padding:13px 28px;font-size:16px;font-weight:bold;line-height:1.4;color:#ffffff;text-decoration:none">${escapeHtml(part.label)}</a></td>
</tr></table>
<p class="quiet" style="${SMALL};margin:0 0 24px;color:#55646b">${frame.plain_link}<br><a href="${href}" style="color:#55646b;word-break:break-all">${href}</a></p>`;
  }
  if ("blocks" in part) return documentHtml(part.blocks, part.pictures);
  const rows = part.facts.map(
    ([heading, value]) => `<tr>
<th class="quiet rule" scope="row" align="left" valign="top" style="${FONT};padding:10px 16px 10px 0;border-bottom:1px solid #dfe5e8;font-size:14px;font-weight:normal;white-space:nowrap;color:#55646b">${escapeHtml(heading)}</th>
<td class="words rule" style="${FONT};padding:10px 0;border-bottom:1px solid #dfe5e8;font-size:16px;overflow-wrap:anywhere;color:#1d272b"><bdi>${escapeHtml(value)}</bdi></td>
</tr>`,
  );
  return `<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px">${rows.join("")}</table>`;
}

function htmlOf({ subject, heading, parts, stop }: Words, sender: Sender, language: MailLanguage): string {
  const frame = FRAMES[language];
  const { origin, company_name, address, contact_email, contact_phone } = sender;
  const mailto = escapeHtml(contact_email);
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${STYLES}</style></head>
<body class="page" style="margin:0;padding:0;background:#f5f7f8">
<table class="page" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#f5f7f8" style="background:#f5f7f8"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px">
<tr><td style="padding:0 4px 16px"><a class="words plain" href="${escapeHtml(origin)}" style="${FONT};font-size:22px;font-weight:bold;color:#1f7092;text-decoration:none">ofuse</a></td></tr>
<tr><td class="card" bgcolor="#ffffff" style="background:#ffffff;border-radius:16px;padding:28px 24px 8px">
${heading ? headingHtml(heading) : ""}${parts.map((part) => htmlOfPart(part, frame)).join("\n")}
</td></tr>
<tr><td class="quiet" style="${SMALL};padding:20px 8px;color:#55646b">${frame.company}${frame.colon}${escapeHtml(company_name)}<br>${frame.address}${frame.colon}${escapeHtml(address)}<br>${frame.contact}${frame.colon}<a href="mailto:${mailto}" style="color:#55646b">${mailto}</a>${escapeHtml(frame.phoneOf(contact_phone))}<br>${stop ? stopHtml(stop, frame) : frame.always_sent}</td></tr>
</table></td></tr></table>
</body></html>
`;
}

function headingHtml({ title, note }: NonNullable<Words["heading"]>): string {
  return `<p class="quiet" style="${SMALL};margin:0 0 4px;color:#55646b">${escapeHtml(note)}</p>
<h1 class="words" style="${FONT};font-size:24px;font-weight:bold;line-height:1.5;margin:0 0 24px;overflow-wrap:anywhere;color:#1d272b">${escapeHtml(title)}</h1>
`;
}

function stopHtml({ link, reason }: NonNullable<Words["stop"]>, frame: Frame): string {
  return `${escapeHtml(reason)}<br><a href="${escapeHtml(link)}" style="color:#55646b">${frame.stop_button}</a>`;
}
