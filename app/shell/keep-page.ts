import { type DataStrategyResult, data, type MiddlewareFunction } from "react-router";
import { forgetMember } from "../browser/forget-member.ts";
import { leadsBack } from "../v4/stay-on-page.ts";
import { announceUnsent, unsentFor } from "../v4/unsent.ts";

/**
 * In the browser: what becomes of the page when a form of a member's was answered. A form that nobody answered, or that was
 * answered with a failure, leaves the page as it is: the router would put the error page in its place, and with it every
 * word that stands in another form. So does an answer that leads back to the page: to navigate there would end what other
 * forms of the page are waiting for.
 */
export const keepPage: MiddlewareFunction<Record<string, DataStrategyResult>> = async ({ request }, next) => {
  if (request.method === "GET") return next();
  const form = await request.clone().formData();
  const results = await next();
  if (request.signal.aborted) return results;
  const { pathname } = new URL(request.url);
  const answers = Object.entries(results).map(async ([route, answer]): Promise<[string, DataStrategyResult]> => {
    const { type, result } = answer;
    if (result instanceof Response) {
      const is_followed = await takeRedirect(result, pathname, form);
      return [route, is_followed ? answer : { type: "data", result: null }];
    }
    if (type !== "error") return [route, answer];
    const unsent = unsentFor(result);
    announceUnsent(unsent, { is_told: false });
    // As a refusal the router knows: with such a status it asks for no page anew.
    return [route, { type: "data", result: data(null, unsent.status) }];
  });
  return Object.fromEntries(await Promise.all(answers));
};

/** @returns whether the router is to follow the redirect that answered a form. */
async function takeRedirect({ headers }: Response, path: string, form: FormData): Promise<boolean> {
  const to = new URL(headers.get("location") ?? "", location.href);
  if (headers.has("x-remix-reload-document")) {
    // To prove who they are, or to another service, members leave signed in.
    if (to.origin === location.origin && to.pathname !== "/login/confirm") forgetMember();
    return true;
  }
  if (to.pathname !== "/login") {
    // Where the file cannot be loaded, nothing was kept.
    await import("../forms/kept-words.ts").then(
      ({ forgetSent }) => forgetSent(path, form),
      () => {},
    );
  }
  return path !== location.pathname || !leadsBack(to);
}
