import { type MiddlewareFunction, redirect } from "react-router";
import type { Profile } from "../../workers/contract/users.ts";
import { viewerContext } from "./context.ts";

/** Whether an account has the name and the address every member needs. */
export function isComplete(profile: Profile | null): profile is Profile {
  return Boolean(profile?.default_name && profile.email?.trim());
}

/**
 * What completing an account leads to, and would lead back from: the texts that are agreed to, the pages where one proves
 * again who one is before an address is changed, help, and the mails of a demo.
 */
const neededForIt = /^\/(?:login(?:\/|$)|(?:terms|privacy|help|dev\/outbox)\/?$)/i;

/**
 * Sends a member whose account is not complete to the page that completes it. Source: spec section 4, Account
 * completeness redirect. Only pages are redirected: a form that is being sent (logging out, say) is answered.
 */
export const completenessMiddleware: MiddlewareFunction<Response> = async ({ request, url, context }, next) => {
  const { pathname, search } = url;
  const viewer = context.get(viewerContext);
  if (!viewer || viewer.registration === "unknown" || request.method !== "GET") return next();
  if (pathname.includes("/signup") || pathname.includes("/redirect") || neededForIt.test(pathname)) return next();
  const { profile } = viewer;
  if (!isComplete(profile)) throw redirect("/signup/registration");
  if (profile.email_invalid) {
    throw redirect(`/signup/register_email?${new URLSearchParams({ to: pathname + search })}`);
  }
  return next();
};
