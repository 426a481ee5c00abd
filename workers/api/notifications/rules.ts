import { BLOCKED_NAME, LEFT_NAME } from "../../contract/bounds.ts";
import {
  isNotificationTopic,
  MAILED_TOPICS,
  type MailLanguage,
  type Notification,
  type NotificationTopic,
} from "../../contract/notifications.ts";
import { sha256Hex } from "../../kernel/digest.ts";
import { isId } from "../../kernel/ids.ts";
import { readToken, signToken } from "../../kernel/signed-token.ts";
import type { PushPayload } from "../push/client.ts";

interface GapWords {
  actor: string;
  actors: string;
  event: string;
}

/**
 * Fills the gaps of a notification's sentence in one pass, so that a person named `{event}` keeps that name. Words in place
 * of a name get no さん.
 */
export function fillGaps(message: string, words: GapWords): string {
  return message.replace(/\{(actors?|event)\}(さん)?/g, (_, gap: keyof GapWords, san = "") =>
    gap === "actor" && NAMES_IN_ENGLISH.has(words.actor) ? words.actor : words[gap] + san,
  );
}

/** What the gaps have instead of a name, in English. */
const NAMES_IN_ENGLISH = new Map([
  [BLOCKED_NAME, "a creator you blocked"],
  [LEFT_NAME, "someone who has left"],
]);

/** Returns the title that the words of `eventLabel` name; undefined for a post that their reader may no longer see. */
export const titleOf = (event: string): string | undefined => /^「(.*)」$/s.exec(event)?.[1];

/** Returns the sentence of a notification's mail. */
export function mailSentence(
  { message, english }: { message: string; english?: string },
  { actor, event }: Pick<GapWords, "actor" | "event">,
  language: MailLanguage,
): string {
  if (language === "ja" || english === undefined) return fillGaps(message, { actor, actors: "", event });
  const title = titleOf(event);
  const substitute = NAMES_IN_ENGLISH.get(actor);
  const sentence = fillGaps(english, {
    actor: substitute ?? actor,
    actors: "",
    event: title === undefined ? "a post" : `“${title}”`,
  });
  const begins_so = substitute !== undefined && english.startsWith("{actor}");
  return begins_so ? sentence.charAt(0).toUpperCase() + sentence.slice(1) : sentence;
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

/** How many browsers of a member get push notifications. The oldest makes room for an eleventh. */
export const MAX_PUSH_SUBSCRIPTIONS = 10;

/** The titles of push notifications. The settings call the topics the same (app/routes/notification-choices.tsx). */
const PUSH_TITLES: { readonly [Topic in NotificationTopic]: string } = {
  get_ofuse: "有料のofuse",
  get_free_ofuse: "無料のofuse",
  get_ofuse_reply: "ofuseへの返信",
  liked: "いいね",
  followed: "新しいフォロワー",
  new_paid_event_comment: "投稿への有料コメント",
  new_event_comment: "投稿へのコメント",
  get_reply_comment: "コメントへの返信",
  new_subscriber: "プランの新しいメンバー",
  event_created: "新しい投稿",
  news_letter_received: "ニュースレター",
  radio_started: "ラジオの放送",
};
/** Notifications that always go out, and whose reader has to act soon. A requested reminder of a start always goes out too. */
const PUSHED_TYPES: { readonly [Type in Notification["type"]]?: string } = {
  radio_started: "ラジオの放送",
  subscription_past_due: "お支払い",
  payout_failed: "振込",
};

/** Returns the title of a notification's push notification; null if it is not pushed. */
export const pushTitle = (topic: NotificationTopic | null, type: Notification["type"]): string | null =>
  topic === null ? (PUSHED_TYPES[type] ?? null) : PUSH_TITLES[topic];

/** Lock screens show two or three lines. The bound also keeps the payload far below the 4 kB of RFC 8030. */
const PUSH_BODY_LENGTH = 160;

/** Returns what the browser shows. `collapse` is what later notifications of the same bundle share. */
export async function pushPayload({
  title,
  message,
  path,
  collapse,
}: Pick<PushPayload, "title" | "path"> & { message: string; collapse: string }): Promise<PushPayload> {
  const letters = [...message];
  const body =
    letters.length > PUSH_BODY_LENGTH ? `${letters.slice(0, PUSH_BODY_LENGTH - 1).join("")}…` : letters.join("");
  return { title, body, path, tag: (await sha256Hex(collapse)).slice(0, 32) };
}
