import { follows } from "./follows.ts";
import { createRandom } from "./pictures/chance.ts";
import type { Post } from "./posts.ts";

/** Returns the visits of a post, and who likes it since when: about half of its author's followers. */
export function answersOf(post: Post): { visits_count: number; likes: { fan: string; days_ago: number }[] } {
  const random = createRandom(`answers ${post.key}`);
  const visits_count = Math.round(20 + random.between(0, 380));
  const likes = follows
    .filter(([, creator]) => creator === post.author && random.chance(0.5))
    .map(([fan, , days_ago]) => ({ fan, days_ago: Math.min(days_ago, post.days_ago) * 0.9 }));
  return { visits_count, likes };
}
