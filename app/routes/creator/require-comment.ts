import { data } from "react-router";
import { MAX_PAGE_SIZE } from "../../../workers/contract/fields.ts";

/** The comments that one API call returns, among which {@link requireComment} looks. */
export const COMMENTS_OF_ONE_CALL = { page_size: MAX_PAGE_SIZE };

interface Listed {
  comments: readonly { comment_id: string; is_deleted?: boolean }[];
  has_next: boolean;
}

/**
 * Throws 404 when the comment is not there. The API reads no single comment, so among more comments than one call returns
 * only the sent form learns it.
 */
export function requireComment({ comments, has_next }: Listed, comment_id: string): void {
  const found = comments.find((comment) => comment.comment_id === comment_id);
  if (found ? found.is_deleted : !has_next) throw data(null, { status: 404 });
}
