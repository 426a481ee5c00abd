import { type RouterContextProvider, redirect } from "react-router";
import { edgeContext, viewerContext } from "../../middleware/context.ts";
import type { Aim } from "../../session/aim.ts";
import { askedLink } from "../../session/email-link.ts";
import { trySignIn } from "../../session/finish-sign-in.ts";
import { type FlashCode, setFlash } from "../../session/flash.ts";
import { IdentityRefusal } from "../../session/identity-toolkit.ts";
import { takeOverAddress } from "../../session/new-address.ts";
import { takePendingSignUp } from "../../session/pending-sign-up.ts";
import { closeSession, openSession } from "../../session/sign-in.ts";
import { type OwnSentences, type Refused, refusalOf } from "../../session/sign-in-refusals.ts";
import { loginPath } from "../../session/to.ts";
import { FetchError } from "../../v4/errors.ts";
import type { MailMode } from "./mail-modes.ts";

type Context = Readonly<RouterContextProvider>;

/** What the code of a mailed link does once its button was pressed: where to go then, or why it was refused. */

const OUTAGE = { status: 503, message: "ただいま確認できません。時間をおいてもう一度お試しください。" };
const OLD_CONFIRMATION = {
  status: 410,
  message: "このリンクは使用済みか、有効期限が切れています。ログインすると、新しい確認メールをお送りします。",
};

/** Confirms, changes or gives back an address. `to` is the page the mail was asked for on. */
export async function confirmAddress(
  context: Context,
  mode: Exclude<MailMode, "signIn" | "resetPassword">,
  oob_code: string,
  to: string,
): Promise<Response | Refused> {
  const { toolkit } = context.get(edgeContext);
  let email: string;
  try {
    email = await toolkit.applyCode(oob_code);
  } catch (error) {
    const own: OwnSentences =
      mode === "verifyEmail" ? { OTHERWISE: OLD_CONFIRMATION, ...oldLink(OLD_CONFIRMATION) } : {};
    return refusalOf(context, error, { ...own, OUTAGE });
  }
  return mode === "verifyEmail" ? confirmed(context, email, to) : changed(context, mode, email, to);
}

const oldLink = (sentence: typeof OUTAGE): OwnSentences => ({ INVALID_OOB_CODE: sentence, EXPIRED_OOB_CODE: sentence });

async function confirmed(context: Context, email: string, to: string): Promise<Response> {
  const { toolkit } = context.get(edgeContext);
  const viewer = context.get(viewerContext);
  if (viewer) {
    // Somebody else's mail, opened here, says nothing about this member's own address.
    if (viewer.session.email === email) await takeOverAddress(context, email);
    return redirect(to, 303);
  }
  // Confirming proves the mailbox; the cookie proves that it is the browser that chose the password.
  const pending = await takePendingSignUp(context);
  if (pending?.refresh_token) {
    try {
      const session = await openSession(context, await toolkit.refresh(pending.refresh_token));
      if (session.emailVerified) {
        return redirect(`/signup/registration?${new URLSearchParams({ to: pending.to })}`, 303);
      }
      // The link was another account's than the one begun here.
      closeSession(context);
    } catch (error) {
      if (!(error instanceof IdentityRefusal || error instanceof FetchError)) throw error;
    }
  }
  setFlash(context, "email_confirmed");
  return redirect(loginPath(to), 303);
}

/** The product is told here where it can be, and else at the next sign-in (app/session/finish-sign-in.ts). */
async function changed(context: Context, mode: "verifyAndChangeEmail" | "recoverEmail", email: string, to: string) {
  const told: FlashCode = mode === "recoverEmail" ? "email_recovered" : "email_changed";
  const is_taken_over = context.get(viewerContext) !== null && (await takeOverAddress(context, email));
  if (mode === "recoverEmail") {
    setFlash(context, told);
    return redirect("/login/reset", 303);
  }
  if (!is_taken_over) setFlash(context, told);
  return redirect(is_taken_over ? to : loginPath(to), 303);
}

/** `to` is the page that the sign-in, for which the password was wanted, leads to. */
export async function resetPassword(
  context: Context,
  oob_code: string,
  password: string,
  to: string,
): Promise<Response | Refused> {
  try {
    await context.get(edgeContext).toolkit.resetPassword(oob_code, password);
  } catch (error) {
    return refusalOf(context, error, { OUTAGE });
  }
  // Every sign-in of the account has ended, the one of this browser with them.
  closeSession(context);
  setFlash(context, "password_reset");
  return redirect(loginPath(to), 303);
}

export async function signInByLink(
  context: Context,
  oob_code: string,
  email: string,
  aim: Aim,
): Promise<Response | Refused> {
  const WRONG_ADDRESS = { status: 401, message: "このリンクをお送りしたメールアドレスではありません。" };
  const attempt = () => context.get(edgeContext).toolkit.signInWithEmailLink(email, oob_code);
  const done = await trySignIn(context, attempt, aim, { INVALID_EMAIL: WRONG_ADDRESS });
  if (done instanceof Response) askedLink.forget(context);
  return done;
}
