/** The address of a post, optionally with a page of its comments and a fragment. */
export function eventPath(event: { link_id: string; event_id: string }, page = 1, id?: string): string {
  const search = page > 1 ? `?page=${page}` : "";
  return `/${event.link_id}/events/${event.event_id}${search}${id ? `#${id}` : ""}`;
}

/** The `id` attribute of a comment's element. */
export const commentAnchor = (comment_id: string) => `comment-${comment_id}`;

/** The `id` of the list of posts on a creator's page. Pagination and category links lead there. */
export const POSTS_ANCHOR = "posts";

/** The `id` of the part of a post's page that has the like button. */
export const ACTIONS_ANCHOR = "answers";
