import { type MiddlewareFunction, redirect } from "react-router";
import type { Profile } from "../../workers/contract/users.ts";
import { viewerContext } from "./context.ts";

/** Whether an account has the name and the address every member needs. */
export function isComplete(profile: Profile | null): boolean {
  return Boolean(profile?.default_name && profile.email?.trim());
}

/**
 * Open besides what the spec leaves open: where who one is is being proven, so that the session is not ready yet, and the mails
 * of a demo. Source: docs/decisions/0018, "Before an account is complete".
 */
const OPEN = /^\/(?:login|dev)\//;

/**
 * Sends a member whose account is not complete to the page that completes it. Source: spec section 4, Account
 * completeness redirect. Only pages are redirected: a form that is being sent (logging out, say) is answered.
 */
export const completenessMiddleware: MiddlewareFunction<Response> = async ({ request, url, context }, next) => {
  const { pathname, search } = url;
  const viewer = context.get(viewerContext);
  if (!viewer || viewer.registration === "unknown" || request.method !== "GET") return next();
  if (pathname.includes("/signup") || pathname.includes("/redirect") || OPEN.test(pathname)) return next();
  const { profile } = viewer;
  if (!isComplete(profile)) throw redirect("/signup/registration");
  if (profile?.email_invalid) {
    throw redirect(`/signup/register_email?${new URLSearchParams({ to: pathname + search })}`);
  }
  return next();
};
