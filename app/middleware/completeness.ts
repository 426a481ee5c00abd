import { type MiddlewareFunction, redirect } from "react-router";
import type { Profile } from "../../workers/contract/users.ts";
import { viewerContext } from "../session/context.ts";

/** Whether an account has the name and the email address that every member needs. */
export function isComplete(profile: Profile | null): boolean {
  return Boolean(profile?.default_name && profile.email?.trim());
}

/**
 * Pages that stay open in addition to the spec's list: the sign-in pages, where the session is not ready yet, a demo's
 * mails, and the page that ends mails. Source: docs/decisions/0018, "Before an account is complete".
 */
const OPEN = /^\/(?:login|dev|unsubscribe)\//;
/** Pages that members without an address may open, so that they can delete their account and export their data. */
const WAY_OUT = /^\/my\/settings\/(?:leave|export)$/;

/**
 * Addresses that are not pages: feeds, files for crawlers, and calls of scripts. Their callers could not use the page
 * that a redirect leads to.
 */
const NO_PAGE = /\.\w+$|^\/oembed$|\/likeness$/;

/** Returns the page that completes the account and then continues at `to`. Returns null if nothing is missing. */
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
