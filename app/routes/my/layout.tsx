import { Outlet, redirectDocument } from "react-router";
import { boundaryOf } from "../../../workers/contract/multipart.ts";
import { AUTHOR_FIELD } from "../../forms/author-field.ts";
import { signInWithWords, wordsOf } from "../../forms/words.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import { readWords } from "../../uploads/receive.ts";
import type { Route } from "./+types/layout.ts";

/** Returns the text fields of a form. A form with files is larger than memory, so its files are discarded as they arrive. */
const readSentWords = (request: Request): Promise<FormData> =>
  boundaryOf(request.headers.get("content-type")) === null ? request.formData() : readWords(request);

/**
 * Requires a signed-in member for all pages under /my. If a form is sent after the session ended, keeps its text during
 * the sign-in.
 */
const memberMiddleware: Route.MiddlewareFunction = async ({ request, url, context }, next) => {
  if (context.get(viewerContext)) return next();
  const { pathname, search } = url;
  const form = request.method === "POST" ? await readSentWords(request) : null;
  // Only forms with a text have an author field. The page of any other form is shown again after the sign-in.
  if (form?.has(AUTHOR_FIELD)) {
    throw await signInWithWords(context, { ...wordsOf(form, pathname), place: search }, null);
  }
  throw redirectDocument(loginPath(pathname + search));
};

export const middleware = [memberMiddleware];

/** This loader exists so that the middleware also runs for client-side navigations. */
export const loader = () => null;

/** React replaces the page of another letter or plan: its forms must not keep the words of the page before. */
export default function MyLayout({ params }: Route.ComponentProps) {
  return (
    <div className="page page-reading">
      <Outlet key={String(Object.values(params))} />
    </div>
  );
}
