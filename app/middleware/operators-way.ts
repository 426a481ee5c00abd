import { readCookie } from "../request/cookies.ts";
import { isOperator } from "../session/operator.ts";
import { SESSION_COOKIE, type SessionKeys } from "../session/session.ts";
import { FACTOR_COOKIE, type PendingFactor } from "../sign-in/second-factor.ts";

/**
 * What stays open to operators under maintenance, when they need their pages most: the pages, the proof of identity, and the
 * sign-in that leads to them. Source: docs/decisions/0053, "Under maintenance".
 */

const OPERATORS_PAGE = /^\/operator(?:\/|$)/;

/** Whether the app looks under maintenance for the session of an operator. Everywhere else everybody is a visitor. */
export const isOperatorsWay = (pathname: string): boolean =>
  OPERATORS_PAGE.test(pathname) || pathname === "/login/confirm" || pathname === "/login/factor";

/**
 * Whether a document or a form is open although the site is closed: an operator with a second factor asks for it, or it
 * is a step of the sign-in that leads to the operators' pages. The app authenticates the session again.
 */
export async function isOpenToOperators(request: Request, session_keys: SessionKeys): Promise<boolean> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/login") return leadsToOperators(searchParams.get("to"));
  if (!isOperatorsWay(pathname)) return false;
  const cookie = readCookie(request, SESSION_COOKIE);
  const session = cookie && (await session_keys.open(cookie));
  if (session && session !== "expired" && isOperator(session)) return true;
  if (pathname !== "/login/factor") return false;
  const pending = readCookie(request, FACTOR_COOKIE);
  const aim = pending && (await session_keys.decrypt(pending, FACTOR_COOKIE));
  return Boolean(aim) && leadsToOperators((JSON.parse(aim ?? "") as PendingFactor).to);
}

const leadsToOperators = (to: string | null): boolean => to !== null && OPERATORS_PAGE.test(to);
