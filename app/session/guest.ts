import type { RouterContextProvider } from "react-router";
import { claimGuestLikes } from "../../workers/contract/likes.ts";
import { log } from "../../workers/kernel/log.ts";
import { edgeContext, jarContext } from "../request/context.ts";
import { GUEST_COOKIE } from "../request/cookies.ts";
import type { V4 } from "../v4/client.ts";

type Context = Readonly<RouterContextProvider>;

const GUEST_MAX_AGE_S = 365 * 24 * 60 * 60;

export const guestToken = (context: Context): string | undefined =>
  context.get(jarContext).read(GUEST_COOKIE) ?? undefined;

export function keepGuestToken(context: Context, token: string): void {
  context.get(jarContext).set(GUEST_COOKIE, token, GUEST_MAX_AGE_S);
}

const forgetGuestToken = (context: Context): void => context.get(jarContext).clear(GUEST_COOKIE);

/** Turns the likes of this browser into likes of the member. After a failure, the next sign-in tries again. */
export async function claimLikes(context: Context, v4: V4): Promise<void> {
  const guest_token = guestToken(context);
  if (!guest_token) return;
  const sent = await v4.send(claimGuestLikes, { body: { guest_token } });
  // Remove the guest token: a token that the API did not sign never becomes valid.
  if (sent.ok || sent.refusal.code === "validation_failed") return forgetGuestToken(context);
  const { request_id } = context.get(edgeContext);
  const { code } = sent.refusal;
  log("error", { message: "a visitor's likes were not claimed", request_id, code });
}
