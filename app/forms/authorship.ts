import type { RouterContextProvider } from "react-router";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import { viewerContext } from "../session/context.ts";
import type { Refusal } from "../v4/client.ts";
import { AUTHOR_FIELD } from "./author-field.ts";

const ANOTHER_PERSON =
  "このブラウザーでは、いま別のアカウントでログインしています。書いたアカウントでログインしなおしてください。内容はこの画面に残っています。";
const NOTHING_MORE = { fields: {}, needs_sign_in: false, retry_after_s: null };

/**
 * Refuses a form that another member wrote, because a different account has signed in meanwhile in another tab. If the
 * API is unavailable, the viewer is unknown; then refuses as unavailable, because the text may be the viewer's own.
 * Returns null for the author's own form, for a visitor, and for a form that names no author.
 */
export function refuseAuthor(
  context: Readonly<RouterContextProvider>,
  fields: { get(name: string): unknown },
): Refusal | null {
  const viewer = context.get(viewerContext);
  const author = fields.get(AUTHOR_FIELD);
  if (!viewer || !author || author === viewer.profile?.user_id) return null;
  if (viewer.registration === "unknown") {
    return { code: "unavailable", ...errorCatalogue.unavailable, ...NOTHING_MORE };
  }
  return { code: "another_person", status: 403, detail: ANOTHER_PERSON, ...NOTHING_MORE };
}
