import type { Draft } from "../../workers/contract/drafts.ts";

/** Returns the path of a draft's form. */
export function formPath(draft: { draft_id: string; event_id: string | null; kind: Draft["kind"] }): string {
  if (draft.event_id) return `/my/posts/${draft.event_id}/edit`;
  return `/my/posts/new?${new URLSearchParams({ content_type: draft.kind, draft_id: draft.draft_id })}`;
}
