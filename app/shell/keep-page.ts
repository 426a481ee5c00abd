import { type DataStrategyResult, data, type MiddlewareFunction } from "react-router";
import { forgetMember } from "../browser/forget-member.ts";
import { loadFailures } from "../v4/load-failures.ts";
import { isCurrentPage } from "../v4/stay-on-page.ts";
import { announceUnsent, UNREACHED } from "../v4/unsent.ts";

/**
 * Client middleware that keeps a member's page when a form or a reload of its data fails. Without it, the router would
 * replace the page by an error page, and text in other forms would be lost. Also skips a redirect back to the current page,
 * because that navigation would abort the page's other forms.
 */
export const keepPage: MiddlewareFunction<Record<string, DataStrategyResult>> = async ({ request }, next) => {
  const form = request.method === "GET" ? null : await request.clone().formData();
  const { pathname } = new URL(request.url);
  if (form) void loadWords().then((words) => words?.beginSending(pathname, form));
  const results = await next();
  if (request.signal.aborted) return results;
  if (!form) {
    const is_whole = Object.values(results).every(({ type }) => type === "data");
    return (!is_whole && (await loadFailures())?.keepLoaded(request, results)) || results;
  }
  const words = await loadWords();
  const answers = Object.entries(results).map(async ([route, answer]): Promise<[string, DataStrategyResult]> => {
    const { type, result } = answer;
    if (result instanceof Response) {
      words?.takeRedirect(pathname, form, result);
      return [route, takeRedirect(result, pathname) ? answer : { type: "data", result: null }];
    }
    if (type !== "error") {
      words?.takeAnswer(pathname, form, result);
      return [route, answer];
    }
    const unsent = (await loadFailures())?.unsentButton(result) ?? UNREACHED;
    announceUnsent(unsent, { is_told: false });
    // The router does not revalidate after a result with an error status.
    return [route, { type: "data", result: data(undefined, unsent.status) }];
  });
  return Object.fromEntries(await Promise.all(answers));
};

/** Returns whether the router should follow the redirect that answered a form. Forgets the member if it ends the session. */
function takeRedirect({ headers }: Response, path: string): boolean {
  const to = new URL(headers.get("location") ?? "", location.href);
  if (!headers.has("x-remix-reload-document")) return path !== location.pathname || !isCurrentPage(to);
  // Redirects to /login/confirm and to other sites keep the member signed in; all other document redirects end the session. A
  // member whose session ended by itself signs in again, and sends the form under its key.
  if (to.origin === location.origin && to.pathname !== "/login/confirm") forgetMember(to.pathname === "/login");
  return true;
}

/** Loads the script that keeps typed text and keys. If it cannot be loaded, it has kept none. */
const loadWords = () => import("../forms/kept-words.ts").catch(() => null);
