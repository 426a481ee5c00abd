import type { NewsletterMail } from "../../contract/mails.ts";
import { cutDocument } from "./document.ts";
import type { Words } from "./parts.ts";

/** The kind of a newsletter's mails. They are not in contract/mails.ts, because their content is stored once for all. */
export const NEWSLETTER = "newsletter";

/** The longest body of a newsletter's mail in bytes of HTML. Gmail clips a mail at 102 kB; the frame takes 5 kB. */
const BODY_BYTES = 90_000;

/** Returns the words of a newsletter's mail. A long newsletter ends with a link to the rest. */
export function newsletterWords({
  title,
  creator_name,
  document,
  pictures,
  page_link,
  stop_link,
}: Omit<NewsletterMail, "content_id" | "receivers"> & { stop_link: string }): Words {
  const { blocks, is_cut } = cutDocument(document, pictures, BODY_BYTES);
  return {
    subject: `${title}｜${creator_name}さんのニュースレター`,
    heading: { title, note: `${creator_name}さんのニュースレター` },
    parts: [
      { blocks, pictures },
      ...(is_cut ? ["このニュースレターは長いため、ここまでをお届けしました。続きは、次のページで読めます。"] : []),
      { link: page_link, label: is_cut ? "続きを読む" : "ofuseで読む" },
    ],
    stop: {
      link: stop_link,
      reason: `このメールは、ofuseで${creator_name}さんのニュースレターを受け取る方へお送りしています。`,
    },
  };
}
