import { type MiddlewareFunction, redirect } from "react-router";
import type { Profile } from "../../workers/contract/users.ts";
import { viewerContext } from "../session/context.ts";

/** Whether an account has the name and the address every member needs. */
export function isComplete(profile: Profile | null): boolean {
  return Boolean(profile?.default_name && profile.email?.trim());
}

/**
 * Open besides what the spec leaves open: where who one is is being proven, so that the session is not ready yet, and the mails
 * of a demo. Source: docs/decisions/0018, "Before an account is complete".
 */
const OPEN = /^\/(?:login|dev)\//;
/** Open to who has become a member: nobody has to give an address in order to leave, nor to take along what is theirs. */
const WAY_OUT = /^\/my\/settings\/(?:leave|export)$/;

/** What no page is: feeds, lists for crawlers, what scripts ask for. A redirect would give them a page they cannot read. */
const NO_PAGE = /\.\w+$|^\/oembed$|\/likeness$/;

/** The page that completes the account of who wants to be at `to`; null where nothing is missing. */
export function completingPath(profile: Profile | null, to: string): string | null {
  if (!isComplete(profile)) return "/signup/registration";
  return profile?.email_invalid ? `/signup/register_email?${new URLSearchParams({ to })}` : null;
}

/**
 * Sends a member whose account is not complete to the page that completes it. Source: spec section 4, Account
 * completeness redirect. Only pages are redirected: a form that is being sent (logging out, say) is answered.
 */
export const completenessMiddleware: MiddlewareFunction<Response> = async ({ request, url, context }, next) => {
  const { pathname, search } = url;
  const viewer = context.get(viewerContext);
  if (!viewer || viewer.registration === "unknown" || request.method !== "GET") return next();
  if (pathname.includes("/signup") || pathname.includes("/redirect")) return next();
  if (OPEN.test(pathname) || NO_PAGE.test(pathname)) return next();
  const { profile } = viewer;
  if (profile && WAY_OUT.test(pathname)) return next();
  const completing = completingPath(profile, pathname + search);
  if (completing) throw redirect(completing);
  return next();
};
