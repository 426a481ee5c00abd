import type { RouterContextProvider } from "react-router";
import { identityContext, viewerContext } from "../session/context.ts";
import { SealedCookie } from "../session/sealed-cookie.ts";
import { type Aim, keptAim } from "./aim.ts";

/** The state of a code that was sent by SMS. Only the browser that requested it can use it. */
interface AskedCode extends Aim {
  phone_number: string;
  session_info: string;
  /** The member who was signed in at the start. The number may be linked only to that member's account. */
  user_id: string | null;
}

const TEN_MINUTES_S = 10 * 60;
export const askedCode = new SealedCookie<AskedCode>("soziIdPhone", TEN_MINUTES_S);

/**
 * Sends a code to a phone number (E.164). `recaptcha_token` comes from the page's reCAPTCHA, if the provider requires
 * it.
 */
export async function sendPhoneCode(
  context: Readonly<RouterContextProvider>,
  phone_number: string,
  aim: Aim,
  recaptcha_token?: string,
): Promise<void> {
  const session_info = await context.get(identityContext).toolkit.sendVerificationCode(phone_number, recaptcha_token);
  const user_id = context.get(viewerContext)?.session.id ?? null;
  await askedCode.keep(context, { ...keptAim(aim), phone_number, session_info, user_id });
}
