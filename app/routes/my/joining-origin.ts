import type { RouterContextProvider } from "react-router";
import { SESSION_MINUTES } from "../../../workers/contract/limits.ts";
import { jarContext } from "../../request/context.ts";
import { safeTo } from "../../request/to.ts";

type Context = Readonly<RouterContextProvider>;

/**
 * The cookie with the locked page from which a person went to join a plan. The API makes the address to which the
 * gateway returns, and makes it again for the same session, so it cannot contain the page.
 */
const COOKIE = "joining-from";
/** Longer than the gateway's page can be paid. */
const MAX_AGE_S = 2 * SESSION_MINUTES * 60;

/** Keeps the page to come back to after the payment of this attempt to join. */
export function keepOrigin(context: Context, joining_id: string, to: string): void {
  context.get(jarContext).set(COOKIE, `${new URLSearchParams({ joining_id, to })}`, MAX_AGE_S);
}

/** Returns the page from which this attempt to join began; empty when the browser does not know it. */
export function originOf(context: Context, joining_id: string): string {
  const kept = new URLSearchParams(context.get(jarContext).read(COOKIE) ?? "");
  return kept.get("joining_id") === joining_id ? safeTo(kept.get("to"), "") : "";
}
