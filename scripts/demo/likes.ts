import { follows } from "./follows.ts";
import { createRandom } from "./pictures/chance.ts";
import type { Post } from "./posts.ts";

interface Visit {
  days_ago: number;
  /** The host that led there; "" for none. */
  host: string;
}

/** A visit leaves a row for this long (decisions/0047). Older ones are only in the count. */
const VISIT_DAYS = 80;
/** One row represents this many visits of those days. A row for each visit would slow the first start. */
const VISITS_PER_ROW = 8;
const HOSTS = ["", "", "", "search.example", "search.example", "sns.example", "sns.example", "blog.example"];

/** Returns the visits of a post, and who likes it since when: about half of its author's followers. */
export function answersOf(post: Post): {
  visits_count: number;
  visits: Visit[];
  likes: { fan: string; days_ago: number }[];
} {
  const random = createRandom(`answers ${post.key}`);
  const visits_count = Math.round(20 + random.between(0, 380));
  const readers = createRandom(`readers ${post.key}`);
  // Most people read a post in its first days, and some find it later.
  const visits = Array.from({ length: Math.floor(visits_count / VISITS_PER_ROW) }, () => ({
    days_ago: post.days_ago * (1 - readers.between(0, 1) ** 3),
    host: HOSTS[Math.floor(readers.between(0, HOSTS.length - 0.001))] ?? "",
  })).filter(({ days_ago }) => days_ago < VISIT_DAYS);
  const likes = follows
    .filter(([, creator]) => creator === post.author && random.chance(0.5))
    .map(([fan, , days_ago]) => ({ fan, days_ago: Math.min(days_ago, post.days_ago) * 0.9 }));
  return { visits_count, visits, likes };
}
