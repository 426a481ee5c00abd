import type { RouterContextProvider } from "react-router";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import { viewerContext } from "../session/context.ts";
import { OWNER_FIELD } from "../ui/owner-field.ts";
import type { Refusal } from "../v4/client.ts";
import { AUTHOR_FIELD } from "./author-field.ts";

const ANOTHER_PERSON =
  "このブラウザーでは、いま別のアカウントでログインしています。書いたアカウントでログインし直してください。内容はこの画面に残っています。";
const ANOTHER_ACCOUNT =
  "このブラウザーでは、いま別のアカウントでログインしています。この操作は行っていません。このページを開いたアカウントでログインし直してください。";
const NOTHING_MORE = { fields: {}, needs_sign_in: false, retry_after_s: null };

/**
 * Refuses a form that another member wrote or opened, because a different account has signed in meanwhile in another tab.
 * If the API is unavailable, the viewer is unknown; then refuses a text as unavailable, because it may be the viewer's own.
 * Returns null for the member's own form, for a visitor, and for a form that names nobody.
 */
export function refuseAuthor(
  context: Readonly<RouterContextProvider>,
  fields: { get(name: string): unknown },
): Refusal | null {
  const viewer = context.get(viewerContext);
  if (!viewer) return null;
  const author = fields.get(AUTHOR_FIELD);
  if (!author || author === viewer.profile?.user_id) {
    const owner = fields.get(OWNER_FIELD);
    if (!owner || owner === viewer.session.id) return null;
    return { code: "another_person", status: 403, detail: ANOTHER_ACCOUNT, ...NOTHING_MORE };
  }
  if (viewer.registration === "unknown") {
    return { code: "unavailable", ...errorCatalogue.unavailable, ...NOTHING_MORE };
  }
  return { code: "another_person", status: 403, detail: ANOTHER_PERSON, ...NOTHING_MORE };
}
