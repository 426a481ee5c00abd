import { Outlet, redirectDocument } from "react-router";
import { AUTHOR_FIELD } from "../../forms/author-field.ts";
import { signInWithWords, wordsOf } from "../../forms/words.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import type { Route } from "./+types/layout.ts";

/** Everything under /my is a member's own. A form sent after the session ended keeps its words over the sign-in. */
const memberMiddleware: Route.MiddlewareFunction = async ({ request, url, context }, next) => {
  if (context.get(viewerContext)) return next();
  const { pathname, search } = url;
  const form = request.method === "POST" ? await request.formData() : null;
  // Forms that hold a person's words name their author; the others have nothing to lose.
  if (form?.has(AUTHOR_FIELD)) {
    throw await signInWithWords(context, { ...wordsOf(form, pathname), place: search }, null);
  }
  throw redirectDocument(loginPath(pathname + search));
};

export const middleware = [memberMiddleware];

/** Present so that the middleware runs for client-side navigations as well. */
export const loader = () => null;

export default function MyLayout() {
  return (
    <div className="page page-reading">
      <Outlet />
    </div>
  );
}
