import { escapeXml } from "../../../text/xml.ts";

/** A picture that links to a page, both with their whole address. */
export interface LinkedPicture {
  href: string;
  src: string;
  alt: string;
  width: number;
  height: number;
}

export function htmlCode({ href, src, alt, width, height }: LinkedPicture): string {
  return `<a href="${escapeXml(href)}"><img src="${escapeXml(src)}" alt="${escapeXml(alt)}" width="${width}" height="${height}"></a>`;
}

/** Every sign of punctuation in the words is escaped. Source: CommonMark, section 2.4. */
export function markdownCode({ href, src, alt }: LinkedPicture): string {
  return `[![${alt.replace(/[!-/:-@[-`{-~]/g, "\\$&")}](${src})](${href})`;
}

/** The height has room for the form of embed.ts with a name of two lines. */
export function frameCode(address: string, title: string): string {
  return `<iframe src="${escapeXml(address)}" title="${escapeXml(title)}" width="100%" height="380" style="max-width:560px;border:1px solid #dfe5e8;border-radius:14px" loading="lazy"></iframe>`;
}
