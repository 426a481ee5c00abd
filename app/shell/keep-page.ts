import { type DataStrategyResult, data, type MiddlewareFunction } from "react-router";
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
      return [route, isFollowed(result, pathname) ? answer : { type: "data", result: null }];
    }
    if (type !== "error") {
      words?.takeAnswer(pathname, form, result);
      return [route, answer];
    }
    const unsent = (await loadFailures())?.unsentFor(result) ?? UNREACHED;
    announceUnsent(unsent, { is_told: false });
    // The router does not revalidate after a result with an error status.
    return [route, { type: "data", result: data(null, unsent.status) }];
  });
  return Object.fromEntries(await Promise.all(answers));
};

/** Whether the router should follow the redirect that answered a form. */
function isFollowed({ headers }: Response, path: string): boolean {
  const to = new URL(headers.get("location") ?? "", location.href);
  return headers.has("x-remix-reload-document") || path !== location.pathname || !isCurrentPage(to);
}

/** Loads the script that keeps typed text and keys. If it cannot be loaded, it has kept none. */
const loadWords = () => import("../forms/kept-words.ts").catch(() => null);
