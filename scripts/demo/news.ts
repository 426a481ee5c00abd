/**
 * The notifications of four people in the demo world. They follow from the other people's posts, letters and follows.
 */

import type { Notice } from "../../workers/api/domain.ts";
import { noticeOfPost } from "../../workers/api/events/rules.ts";
import { noticesOfLetter, noticesOfReply } from "../../workers/api/ofuses/rules.ts";
import { noticesOfFollow } from "../../workers/api/relationships/rules.ts";
import type { Notification } from "../../workers/contract/notifications.ts";
import { follows } from "./follows.ts";
import { eventId, foundedId, letterId } from "./ids.ts";
import { letters } from "./letters/index.ts";
import { people } from "./people.ts";
import { plans, posts } from "./posts.ts";
import { type Subscription, subscriptions } from "./subscriptions.ts";

type News = {
  /** The key of the receiver. */
  to: string;
  /** The key of the person whom the notification is about; null when it is about nobody. */
  actor: string | null;
  type: Notification["type"];
  occasion: string;
  path: string;
  /** A sentence with the API's placeholders. */
  message: string;
  /** The post whose title fills `{event}`. */
  event_id?: string;
  /** The letter or comment whose first line the notification shows. */
  subject_id?: string;
  days_ago: number;
  is_opened: boolean;
};

const READERS: ReadonlySet<string> = new Set(["fan_hana", "fan_taro", "natsume", "sumire"]);
const NEWS_DAYS = 45;
/** Notifications younger than this are unread. */
const UNSEEN_DAYS = 4;

/** Returns the notifications of the last weeks, in the API's own words where the API has such a notification. */
export function newsOf(now_ms: number): News[] {
  const all = [
    ...newsOfFollows(now_ms),
    ...newsOfLetters(now_ms),
    ...newsOfPosts(now_ms),
    ...subscriptions.flatMap(newsOfSubscription),
    ...newsOfOperator(),
  ];
  return all.filter(({ to, days_ago }) => READERS.has(to) && days_ago > 0 && days_ago <= NEWS_DAYS);
}

/** Turns a notification of the API into one of the demo world. */
function newsOfNotice([notice]: Notice[], to: string, actor: string, days_ago: number, is_opened: boolean): News {
  if (!notice) throw new Error(`${actor} gave ${to} nothing to read`);
  const { type, occasion, path, message, subject_id } = notice;
  return {
    to,
    actor,
    type,
    occasion,
    path: typeof path === "string" ? path : path(personOf(actor)),
    message,
    subject_id,
    days_ago,
    is_opened,
  };
}

function newsOfFollows(now_ms: number): News[] {
  return follows.map(([fan, creator, days_ago]) => {
    const payload = {
      follower_id: foundedId("user", fan, now_ms),
      following_id: foundedId("user", creator, now_ms),
    };
    return newsOfNotice(noticesOfFollow(payload), creator, fan, days_ago, days_ago > UNSEEN_DAYS);
  });
}

function newsOfLetters(now_ms: number): News[] {
  return letters.flatMap((letter, index) => {
    const { from, to, days_ago, liked, reply, reply_days_ago } = letter;
    const payload = {
      ofuse_id: letterId(letter, index, now_ms),
      amount: 0,
      sender_user_id: foundedId("user", from, now_ms),
      receiver_user_id: foundedId("user", to, now_ms),
    };
    const sent = newsOfNotice(noticesOfLetter(payload), to, from, days_ago, liked || reply !== null);
    if (reply === null) return [sent];
    const replied_days_ago = reply_days_ago ?? days_ago / 2;
    const replied = newsOfNotice(noticesOfReply(payload), from, to, replied_days_ago, replied_days_ago > UNSEEN_DAYS);
    return [sent, replied];
  });
}

/** Followers get a notification for each post that they may read. */
function newsOfPosts(now_ms: number): News[] {
  return posts
    .filter((post) => post.status === "published" && post.visibility !== "memberships")
    .flatMap((post) =>
      follows
        .filter(([, creator, since]) => creator === post.author && since > post.days_ago)
        .map(([fan]) => {
          const event_id = eventId(post, now_ms);
          const { path, message } = noticeOfPost({ event_id, link_id: personOf(post.author).link_id });
          return {
            to: fan,
            actor: post.author,
            type: "event_created" as const,
            occasion: `event_created ${post.key} ${fan}`,
            path,
            message,
            event_id,
            days_ago: post.days_ago,
            is_opened: post.days_ago > UNSEEN_DAYS,
          };
        }),
    );
}

/** Notifications about a subscription: joining, the latest payment, a failed payment, leaving, and a closed plan. */
function newsOfSubscription({ fan, plan: key, status, days_ago, paid_days_left }: Subscription): News[] {
  const plan = plans.find((each) => each.key === key);
  if (!plan) throw new Error(`no plan ${key} in the demo world`);
  const creator = personOf(plan.author);
  const newsFor = (to: string, actor: string, type: Notification["type"], message: string, when: number): News => ({
    to,
    actor,
    type,
    occasion: `${type} ${fan} ${key}`,
    path: `/${creator.link_id}/plans`,
    message,
    days_ago: when,
    is_opened: when > UNSEEN_DAYS,
  });
  const named = `{actor}さんのプラン「${plan.title}」`;
  const news = [
    newsFor(plan.author, fan, "new_subscriber", `{actor}さんが「${plan.title}」に参加しました。`, days_ago),
  ];
  const last_paid_days_ago = 31 - paid_days_left;
  if (status === "active" && last_paid_days_ago < days_ago - 1)
    news.push(
      newsFor(fan, plan.author, "subscription_renewed", `${named}の参加期間が更新されました。`, last_paid_days_ago),
    );
  if (status === "past_due")
    news.push(
      newsFor(
        fan,
        plan.author,
        "subscription_past_due",
        `${named}のお支払いを確認できませんでした。お支払い方法をご確認ください。`,
        1.2,
      ),
    );
  if (status === "canceled")
    news.push(
      newsFor(fan, plan.author, "subscription_canceled", `${named}から退会しました。`, Math.min(days_ago - 1, 38.4)),
    );
  if (plan.active_state === "inactive")
    news.push(
      newsFor(fan, plan.author, "membership_disabled", `${named}は終了しました。ご参加ありがとうございました。`, 39.1),
    );
  return news;
}

/** Notifications from the operators of the site. */
function newsOfOperator(): News[] {
  return [
    {
      to: "fan_hana",
      actor: null,
      type: "custom",
      occasion: "half_a_year fan_hana",
      path: "/my/box?type=sent",
      message: "はじめてのofuseから半年がたちました。送った手紙を読みかえしてみませんか。",
      days_ago: 3.7,
      is_opened: false,
    },
  ];
}

function personOf(key: string): { name: string; link_id: string } {
  const person = people.find((each) => each.key === key);
  if (!person) throw new Error(`no person ${key} in the demo world`);
  return person;
}
