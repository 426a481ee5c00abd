import { useFetcher, useRouteLoaderData } from "react-router";
import { type Liked, rememberLike } from "../../browser/liked.ts";
import { likedRadioComments, likedRadioRecordings } from "../../browser/radio-keys.ts";
import { likedEventComments, likedEvents } from "../../browser/stored-keys.ts";
import { AUTHOR_FIELD } from "../../forms/author-field.ts";
import { LikeButton } from "../../likes/like.tsx";
import { useLiked } from "../../likes/use-liked.ts";
import type { loader as rootLoader } from "../../root.tsx";
import type { action } from "./like.tsx";

interface LikeFormProps {
  /** The path of what is liked; the form posts to `/like` below it. */
  path: string;
  /** The id of what is liked. */
  id: string;
  is_liked: boolean;
  likes_count: number;
  /** The signed-in member; null for a visitor. */
  viewer_id: string | null;
  /** The page of comments, if it is not the first. */
  page?: number;
}

/** The like button of a post, with a label. */
export const EventLikeForm = (props: LikeFormProps) => <LikeForm {...props} liked={likedEvents} is_small={false} />;

/** The like button of a comment, with a heart and a number. */
export const CommentLikeForm = (props: LikeFormProps) => (
  <LikeForm {...props} liked={likedEventComments} is_small={true} />
);

/** The like button of a radio's recording, with a label. */
export const RecordingLikeForm = (props: LikeFormProps) => (
  <LikeForm {...props} liked={likedRadioRecordings} is_small={false} />
);

/** The like button of a comment on a radio, with a heart and a number. */
export const RadioCommentLikeForm = (props: LikeFormProps) => (
  <LikeForm {...props} liked={likedRadioComments} is_small={true} />
);

/**
 * The like button. For members it shows the result before the server answers, in every tab of the browser. On visitors'
 * pages app/visitor/likes.ts does the same for visitors and depends on this markup.
 */
function LikeForm(props: LikeFormProps & { liked: Liked; is_small: boolean }) {
  const { path, id, likes_count, viewer_id, page = 1, liked, is_small } = props;
  const flash_like = useFlashLike(`${path}/like`);
  const is_liked = flash_like ?? props.is_liked;
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
      data-like-told={flash_like}
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
 * The result of a visitor's like that was posted as a form, because JavaScript was off or not loaded yet. The flash
 * carries it, so the page is not a shared copy, and the script stores the result. Returns undefined if the flash
 * message is not about such a like.
 */
function useFlashLike(path: string): boolean | undefined {
  const like = useRouteLoaderData<typeof rootLoader>("root")?.flash?.like;
  return like?.path === path ? like.is_liked : undefined;
}
