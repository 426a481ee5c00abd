import type { RouterContextProvider } from "react-router";
import { identityContext, viewerContext } from "../session/context.ts";
import { SealedCookie } from "../session/sealed-cookie.ts";
import { type Aim, keptAim } from "./aim.ts";

/** A code is on its way to a telephone; this browser is the one that asked for it. */
interface AskedCode extends Aim {
  phone_number: string;
  session_info: string;
  /** Who was signed in; a number is linked to nobody else's account. */
  user_id: string | null;
}

const TEN_MINUTES_S = 10 * 60;
export const askedCode = new SealedCookie<AskedCode>("soziIdPhone", TEN_MINUTES_S);

/** Has a code sent to a telephone (E.164). `recaptcha_token` is what the page's own check gave, where there is one. */
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
