import { useFetcher, useRouteLoaderData } from "react-router";
import { type Liked, rememberLike } from "../../browser/liked.ts";
import { likedEventComments, likedEvents } from "../../browser/stored-keys.ts";
import { AUTHOR_FIELD } from "../../forms/author-field.ts";
import { LikeButton } from "../../likes/like.tsx";
import { useLiked } from "../../likes/use-liked.ts";
import type { loader as rootLoader } from "../../root.tsx";
import type { action } from "./like.tsx";

interface LikeFormProps {
  /** Of the post or comment; the form goes to `/like` below it. */
  path: string;
  /** What is liked. */
  id: string;
  is_liked: boolean;
  likes_count: number;
  /** Who looks; null for a visitor. */
  viewer_id: string | null;
  /** Of the comments, where the form stands on one that is not the first. */
  page?: number;
}

/** The like of a post, with the word. */
export const EventLikeForm = (props: LikeFormProps) => <LikeForm {...props} liked={likedEvents} is_small={false} />;

/** The like of a comment, with a heart and a number. */
export const CommentLikeForm = (props: LikeFormProps) => (
  <LikeForm {...props} liked={likedEventComments} is_small={true} />
);

/**
 * One button, one meaning with or without JavaScript. A member's shows the outcome at once, and every tab of the browser
 * does. On a visitor's page app/visitor/likes.ts does the same, so its markup is known there.
 */
function LikeForm(props: LikeFormProps & { liked: Liked; is_small: boolean }) {
  const { path, id, likes_count, viewer_id, page = 1, liked, is_small } = props;
  const told = useToldLike(`${path}/like`);
  const is_liked = told ?? props.is_liked;
  const fetcher = useFetcher<typeof action>();
  const pending = fetcher.formData?.get("is_liked");
  const remembered = useLiked(liked, id, is_liked, fetcher.state === "idle");
  const is_shown = pending ? pending === "true" : remembered;
  const shown_count = likes_count + Number(is_shown) - Number(is_liked);
  return (
    <fetcher.Form
      method="post"
      action={`${path}/like`}
      className="like-form"
      data-liked={viewer_id ? undefined : liked.name}
      data-like-id={viewer_id ? undefined : id}
      data-like-told={told}
      onSubmit={() => rememberLike(liked, id, !is_shown)}
    >
      {viewer_id && <input type="hidden" name={AUTHOR_FIELD} value={viewer_id} />}
      {page > 1 && <input type="hidden" name="page" value={page} />}
      <LikeButton is_liked={is_shown} count={shown_count} is_small={is_small} />
      {fetcher.data?.error && (
        <p className="field-error" role="alert">
          {fetcher.data.error}
        </p>
      )}
    </fetcher.Form>
  );
}

/**
 * What the page tells of a visitor's like that came as a form, of a browser without the script or before it had loaded; undefined
 * where it tells of none. Such a page is hers alone, and the script remembers what it says.
 */
function useToldLike(path: string): boolean | undefined {
  const like = useRouteLoaderData<typeof rootLoader>("root")?.flash?.like;
  return like?.path === path ? like.is_liked : undefined;
}
