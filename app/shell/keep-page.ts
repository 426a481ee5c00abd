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
  const results = await next();
  if (request.signal.aborted) return results;
  if (!form) {
    const is_whole = Object.values(results).every(({ type }) => type === "data");
    return (!is_whole && (await loadFailures())?.keepLoaded(request, results)) || results;
  }
  const { pathname } = new URL(request.url);
  const answers = Object.entries(results).map(async ([route, answer]): Promise<[string, DataStrategyResult]> => {
    const { type, result } = answer;
    if (result instanceof Response) {
      const is_followed = await takeRedirect(result, pathname, form);
      return [route, is_followed ? answer : { type: "data", result: null }];
    }
    if (type !== "error") {
      // An accepted form whose redirect was not followed (stay-on-page.ts) has no data. A refused one has.
      if (dataOf(result) === null) await forgetWords(pathname, form);
      return [route, answer];
    }
    const unsent = (await loadFailures())?.unsentFor(result) ?? UNREACHED;
    announceUnsent(unsent, { is_told: false });
    // The router does not revalidate after a result with an error status.
    return [route, { type: "data", result: data(null, unsent.status) }];
  });
  return Object.fromEntries(await Promise.all(answers));
};

/** Returns an action's data. The router adds the status of the answer to it. */
function dataOf(result: unknown): unknown {
  return typeof result === "object" && result !== null && "init" in result && "data" in result ? result.data : result;
}

/** Returns true if the router should follow the redirect that answered a form. */
async function takeRedirect({ headers }: Response, path: string, form: FormData): Promise<boolean> {
  const to = new URL(headers.get("location") ?? "", location.href);
  if (headers.has("x-remix-reload-document")) {
    // Redirects to /login/confirm and to other sites keep the member signed in; all other document redirects end the
    // session.
    if (to.origin === location.origin && to.pathname !== "/login/confirm") forgetMember();
    return true;
  }
  if (to.pathname !== "/login") await forgetWords(path, form);
  return path !== location.pathname || !isCurrentPage(to);
}

/** Forgets the typed text of an accepted form. If the script that keeps it cannot be loaded, it has kept none. */
function forgetWords(path: string, form: FormData): Promise<void> {
  return import("../forms/kept-words.ts").then(
    ({ forgetSent }) => forgetSent(path, form),
    () => {},
  );
}
