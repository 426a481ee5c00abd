import type { Document } from "../../contract/document.ts";
import { plainText } from "../../contract/document-text.ts";
import type { Image } from "../../contract/fields.ts";
import { NEWSLETTERS_A_MONTH } from "../../contract/limits.ts";
import { isId } from "../../kernel/ids.ts";
import { readToken, signToken } from "../../kernel/signed-token.ts";
import type { KeptWords } from "../storage/kept-answers.ts";

/**
 * Returns how many more newsletters a person may send in a month in which `counted` are sent or scheduled. People who
 * are not creators may send none.
 */
export function countRemaining({ is_creator, counted }: { is_creator: boolean; counted: number }): number {
  return is_creator ? Math.max(0, NEWSLETTERS_A_MONTH - counted) : 0;
}

/** Returns a document as text. A newsletter of pictures alone has a text as well: the table requires it of all that are sent. */
export function textOf(document: Document): string {
  const text = plainText(document);
  return text.trim() === "" && document.some(({ type }) => type === "image") ? "［画像］" : text;
}

/** Returns those of these pictures that a document shows. */
export function imagesShownIn(document: Document, images: readonly Image[]): Image[] {
  const shown = new Set(document.flatMap((block) => (block.type === "image" ? [block.image_id] : [])));
  return images.filter(({ image_id }) => shown.has(image_id));
}

/** Where the answers stored for idempotent retries contain the words of newsletters. */
export const KEPT_NEWSLETTERS: KeptWords = {
  operations: ["createNewsletter", "updateNewsletter"],
  id: "$.news_letter.id",
};

/** The notification that each reader of a newsletter gets, once. */
export const noticeOf = (newsletter_id: string) => ({
  occasionOf: (user_id: string) => `newsletter_published ${newsletter_id} ${user_id}`,
  path: `/my/news_letters/${newsletter_id}`,
  messageOf: () => "{actor}さんからニュースレターが届きました。",
});

/** The receiver and the newsletter that a mail's link names. */
export interface StopLink {
  newsletter_id: string;
  user_id: string;
}

const PURPOSE = "stops newsletters";

/** Returns the token with which the receiver of a newsletter stops it without a log-in. It does not expire. */
export const stopToken = ({ newsletter_id, user_id }: StopLink, key: string): Promise<string> =>
  signToken(PURPOSE, [newsletter_id, user_id], key);

/** Returns what a token of {@link stopToken} names; null for a token that we did not sign. */
export async function readStopToken(token: string, key: string): Promise<StopLink | null> {
  const [newsletter_id = "", user_id = ""] = (await readToken(PURPOSE, token, key)) ?? [];
  return isId(newsletter_id) && isId(user_id) ? { newsletter_id, user_id } : null;
}
