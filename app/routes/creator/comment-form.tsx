import { useCallback, useId, useState } from "react";
import { useFetcher } from "react-router";
import { COMMENT_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { Author } from "../../forms/author.tsx";
import { useSent } from "../../forms/use-sent.ts";
import type { ReturnedWords } from "../../forms/words.ts";
import { Button } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { WordsField } from "../../ui/words-field.tsx";

interface CommentFormProps {
  /** The path of the post. */
  path: string;
  /** The member who writes. Null for a visitor, who signs in before the comment is sent. */
  viewer_id: string | null;
  idempotency_key: string | null;
  /** For a reply: the answered comment, what its author is called, and the page of comments to which the form returns. */
  parent_comment_id?: string;
  parent_name?: string;
  page?: number;
  /** The text of a refused form and its errors. */
  initial?: string;
  errors?: readonly string[] | null;
  onSent?: () => void;
}

/** The form for a comment or a reply. Empties itself after it was sent. */
export function CommentForm(props: CommentFormProps) {
  const id = useId();
  const [comments_sent, setCommentsSent] = useState(0);
  const { onSent } = props;
  const onOneSent = useCallback(() => {
    setCommentsSent((count) => count + 1);
    onSent?.();
  }, [onSent]);
  const fetcher_key = `${id} ${comments_sent}`;
  const kept = comments_sent === 0 ? {} : { initial: undefined, errors: undefined };
  return <OneComment key={fetcher_key} {...props} {...kept} fetcher_key={fetcher_key} onSent={onOneSent} />;
}

function OneComment(props: CommentFormProps & { fetcher_key: string; onSent: () => void }) {
  const { path, viewer_id, parent_comment_id, parent_name, page = 1, initial = "", onSent } = props;
  const fetcher = useFetcher<ReturnedWords>({ key: props.fetcher_key });
  useSent(fetcher, onSent);
  const is_sending = fetcher.state !== "idle";
  const result = fetcher.data?.result;
  const errors = result ? (result.error?.message ?? null) : (props.errors ?? null);
  const idempotency_key = fetcher.data?.idempotency_key || props.idempotency_key;
  const label = parent_name ? `${parent_name}への返信` : parent_comment_id ? "返信" : "コメントを書く";
  return (
    <fetcher.Form method="post" action={`${path}/comments`} className="form comment-form">
      {idempotency_key && <input type="hidden" name="idempotency_key" value={idempotency_key} />}
      <Author id={viewer_id} />
      {parent_comment_id && <input type="hidden" name="parent_comment_id" value={parent_comment_id} />}
      {page > 1 && <input type="hidden" name="page" value={page} />}
      <FormErrors errors={result?.error?.[""]} />
      <WordsField
        id={`words-${parent_comment_id ?? "comment"}`}
        name="message"
        label={label}
        hint={`${groupDigits(COMMENT_GRAPHEMES)}文字まで。`}
        max_graphemes={COMMENT_GRAPHEMES}
        initial={initial}
        errors={errors}
        textarea={{ rows: 3 }}
      />
      <Button size={parent_comment_id ? "sm" : "default"} aria-disabled={is_sending}>
        {is_sending ? "送信しています…" : wordOf(viewer_id, parent_comment_id)}
      </Button>
    </fetcher.Form>
  );
}

function wordOf(viewer_id: string | null, parent_comment_id: string | undefined): string {
  if (!viewer_id) return "ログインしてコメントする";
  return parent_comment_id ? "返信する" : "コメントする";
}
