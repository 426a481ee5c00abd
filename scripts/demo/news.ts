/**
 * The notifications of four people in the demo world. They follow from the other people's posts, letters and follows.
 * Payments leave notifications of their own (money.ts).
 */

import type { Notice } from "../../workers/api/domain.ts";
import { noticeOfPost } from "../../workers/api/events/rules.ts";
import { noticesOfLike } from "../../workers/api/likes/rules.ts";
import { noticeOf } from "../../workers/api/newsletters/rules.ts";
import { noticesOfLetter, noticesOfReply } from "../../workers/api/ofuses/rules.ts";
import { noticesOfFollow } from "../../workers/api/relationships/rules.ts";
import type { Notification } from "../../workers/contract/notifications.ts";
import { follows } from "./follows.ts";
import { eventId, foundedId, letterId, newsletterId } from "./ids.ts";
import { letters } from "./letters/index.ts";
import { answersOf } from "./likes.ts";
import { newsletters, receiversOf } from "./newsletters.ts";
import { people } from "./people.ts";
import { posts } from "./posts.ts";

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
  /** What joins unread notifications in one row, as in the API. */
  bundle?: Notice["bundle"];
  /** The acts that a row of a bundle tells of. */
  acts?: { actor: string; occasion: string; days_ago: number }[];
};

const READERS: ReadonlySet<string> = new Set(["fan_hana", "fan_taro", "natsume", "sumire"]);
const NEWS_DAYS = 45;
/** Notifications younger than this are unread. */
export const UNSEEN_DAYS = 4;

/** Returns the notifications of the last weeks, in the API's own words where the API has such a notification. */
export function newsOf(now_ms: number): News[] {
  const all = [...newsOfFollows(now_ms), ...newsOfLetters(now_ms), ...newsOfPosts(now_ms)];
  all.push(...newsOfNewsletters(now_ms), ...newsOfOperator(), ...newsOfLikes(now_ms));
  return inBundles(all.filter(({ to, days_ago }) => READERS.has(to) && days_ago > 0 && days_ago <= NEWS_DAYS));
}

/** Joins the notifications of each bundle in one row of unread and one of opened ones. */
function inBundles(all: News[]): News[] {
  const rows = Map.groupBy(all, ({ to, bundle, is_opened, occasion }) =>
    bundle ? `${to} ${bundle.key} ${is_opened}` : `${to} ${occasion}`,
  );
  return [...rows.values()].flatMap((told) => {
    const [newest] = told.toSorted((one, other) => one.days_ago - other.days_ago);
    if (!newest?.bundle) return told;
    const acts = told.flatMap(({ actor, occasion, days_ago }) => (actor ? [{ actor, occasion, days_ago }] : []));
    return [{ ...newest, acts, path: acts.length > 1 ? newest.bundle.path : newest.path }];
  });
}

/** Turns a notification of the API into one of the demo world. */
function newsOfNotice([notice]: Notice[], to: string, actor: string, days_ago: number, is_opened: boolean): News {
  if (!notice) throw new Error(`${actor} gave ${to} nothing to read`);
  const { type, occasion, path, message, subject_id, event_id, bundle } = notice;
  return {
    to,
    actor,
    type,
    occasion,
    path: typeof path === "string" ? path : path(personOf(actor)),
    message,
    subject_id,
    event_id,
    bundle,
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

/** The writer of a post is notified of likes. */
function newsOfLikes(now_ms: number): News[] {
  return posts
    .filter(({ status }) => status === "published")
    .flatMap((post) =>
      answersOf(post).likes.map(({ fan, days_ago }) => {
        const payload = {
          liker_user_id: foundedId("user", fan, now_ms),
          owner_user_id: foundedId("user", post.author, now_ms),
          event_id: eventId(post, now_ms),
          event_link_id: personOf(post.author).link_id,
          comment_id: null,
        };
        return newsOfNotice(noticesOfLike(payload), post.author, fan, days_ago, days_ago > UNSEEN_DAYS);
      }),
    );
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
          const { path, messageOf } = noticeOfPost({ event_id, link_id: personOf(post.author).link_id });
          return {
            to: fan,
            actor: post.author,
            type: "event_created" as const,
            occasion: `event_created ${post.key} ${fan}`,
            path,
            message: messageOf(),
            event_id,
            days_ago: post.days_ago,
            is_opened: post.days_ago > UNSEEN_DAYS,
          };
        }),
    );
}

/** Followers get a notification for each newsletter for them. */
function newsOfNewsletters(now_ms: number): News[] {
  return newsletters.flatMap((newsletter) => {
    const { author, sent_days_ago } = newsletter;
    const { path, messageOf, occasionOf } = noticeOf(newsletterId(newsletter, now_ms));
    return receiversOf(newsletter).map((to) => ({
      to,
      actor: author,
      type: "news_letter_received" as const,
      occasion: occasionOf(to),
      path,
      message: messageOf(),
      days_ago: sent_days_ago ?? 0,
      is_opened: (sent_days_ago ?? 0) > UNSEEN_DAYS,
    }));
  });
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
