import {
  isNotificationTopic,
  MAILED_TOPICS,
  type Notification,
  type NotificationTopic,
} from "../../contract/notifications.ts";
import { isId } from "../../kernel/ids.ts";
import { readToken, signToken } from "../../kernel/signed-token.ts";

interface GapWords {
  actor: string;
  actors: string;
  event: string;
}

/** Fills the gaps of a notification's sentence in one pass, so that a person named `{event}` keeps that name. */
export function fillGaps(message: string, words: GapWords): string {
  return message.replace(/\{(actors?|event)\}/g, (_, gap: keyof GapWords) => words[gap]);
}

/** How many people of a bundle its sentence names. */
export const NAMED_ACTORS = 2;
/** How many people of a bundle are counted. A page must not read thousands of likes for one row. */
export const COUNTED_ACTORS = NAMED_ACTORS + 100;

/** Returns the words for the people of a bundle, such as なつめさん、ひびきさん、ほか3人. */
export function actorsText(names: readonly string[], counted: number): string {
  const named = names.slice(0, NAMED_ACTORS).map((name) => `${name}さん`);
  const others = counted - named.length;
  const rest = counted >= COUNTED_ACTORS ? `ほか${others}人以上` : `ほか${others}人`;
  return [...named, ...(others > 0 ? [rest] : [])].join("、");
}

/** The types about the money of a plan. Their reader has paid, so a block does not hide them. */
export const PLAN_TYPES: readonly Notification["type"][] = [
  "subscription_renewed",
  "subscription_past_due",
  "subscription_canceled",
  "membership_disabled",
];
/** What a blocked creator is called where the money of a plan must still be told. */
export const BLOCKED_NAME = "ブロックしたクリエイター";

/** Whether a notification of this topic is mailed as such. A newsletter is a mail of its own. */
export const isMailedTopic = (topic: NotificationTopic): boolean =>
  topic in MAILED_TOPICS && topic !== "news_letter_received";

/** The topic and the receiver that a mail's link names. */
export interface MailLink {
  topic: NotificationTopic;
  user_id: string;
}

const PURPOSE = "chooses mails";

/** Returns the token with which the receiver of a mail chooses what is mailed, without a log-in. It does not expire. */
export const mailToken = ({ topic, user_id }: MailLink, key: string): Promise<string> =>
  signToken(PURPOSE, [topic, user_id], key);

/** Returns what a token of {@link mailToken} names; null for a token that we did not sign. */
export async function readMailToken(token: string, key: string): Promise<MailLink | null> {
  const [topic = "", user_id = ""] = (await readToken(PURPOSE, token, key)) ?? [];
  return isNotificationTopic(topic) && isId(user_id) ? { topic, user_id } : null;
}
