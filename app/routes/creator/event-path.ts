/** The address of a post, at a page of its comments, at what has that id in it. */
export function eventPath(event: { link_id: string; event_id: string }, page = 1, id?: string): string {
  const search = page > 1 ? `?page=${page}` : "";
  return `/${event.link_id}/events/${event.event_id}${search}${id ? `#${id}` : ""}`;
}

/** Where in a page a comment stands. */
export const commentAnchor = (comment_id: string) => `comment-${comment_id}`;

/** Where the list of posts begins on a creator's page: its pages and categories lead there. */
export const POSTS_ANCHOR = "posts";

/** Where on it one likes the post. */
export const ACTIONS_ANCHOR = "answers";
