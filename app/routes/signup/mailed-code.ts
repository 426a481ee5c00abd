import { decodeJwt } from "jose";
import { type RouterContextProvider, redirect } from "react-router";
import { edgeContext } from "../../request/context.ts";
import { type FlashCode, setFlash } from "../../request/flash.ts";
import { loginPath } from "../../request/to.ts";
import { identityContext, viewerContext } from "../../session/context.ts";
import { closeSession, openSession } from "../../session/current-session.ts";
import type { ProvenAddress } from "../../session/identity-toolkit.ts";
import { type Aim, keptTo } from "../../sign-in/aim.ts";
import { askedLink } from "../../sign-in/email-link.ts";
import { endReplacedSignIn, trySignIn } from "../../sign-in/finish-sign-in.ts";
import { takeOverAddress } from "../../sign-in/new-address.ts";
import { forgetPendingSignUp, renewPendingSignUp } from "../../sign-in/pending-sign-up.ts";
import { type OwnSentences, type Refused, refusalOf } from "../../sign-in/refusals.ts";
import { replaceUnproven } from "../../sign-in/unproven.ts";
import { type MailMode, NEEDS_SIGN_IN } from "./mail-modes.ts";

type Context = Readonly<RouterContextProvider>;

/**
 * Uses the code of a mailed link after its button was pressed. Returns where to redirect, or why the code was refused.
 */

const OUTAGE = { status: 503, message: "ただいま確認できません。時間をおいてもう一度お試しください。" };
const OLD_CONFIRMATION = {
  status: 410,
  message: "このリンクは使用済みか、有効期限が切れています。ログインすると、新しい確認メールをお送りします。",
};

/**
 * An address changes only in a browser that is signed in to the account, because a stranger may have requested the
 * email.
 */
const ELSEWHERE = {
  status: 403,
  message: "変更を申し込んだアカウントでログインしてから、もう一度ボタンを押してください。",
};
/**
 * With Firebase but no service account, we cannot remove a password that a stranger may have set when starting a
 * sign-up for this address.
 */
const UNFINISHED = {
  status: 403,
  message: "登録を始めたブラウザーでこのリンクを開くか、「メールでログイン」をご利用ください。",
};

/** This site's origin, and the page that requested the email. */
interface Way {
  origin: string;
  to: string;
}

/** Verifies, changes or restores an email address. */
export async function confirmAddress(
  context: Context,
  mode: Exclude<MailMode, "signIn" | "resetPassword">,
  oob_code: string,
  way: Way,
): Promise<Response | Refused> {
  const { toolkit, recaptcha } = context.get(identityContext);
  const viewer = context.get(viewerContext);
  try {
    // The email proves that the person has the mailbox. The session in this browser proves that the same person
    // requested the email.
    const pending = mode === "verifyEmail" ? await renewPendingSignUp(context) : null;
    const is_unproven = viewer?.session.email && !viewer.session.emailVerified;
    const id_token = (!is_unproven && pending?.tokens.id_token) || viewer?.session.token;
    const replaced = await replaceUnproven(context, oob_code, { id_token });
    if (!replaced.ok) {
      const { code } = replaced.refusal;
      if (code !== "unauthenticated") return { ...OUTAGE, code };
      return { ...(mode === "verifyEmail" ? UNFINISHED : ELSEWHERE), code: NEEDS_SIGN_IN };
    }
    if (replaced.email !== null) return mailPasswordLink(context, replaced.email, way);
    // Do not send a session beside the code: Firebase does not accept both. `recoverEmail` needs none, because its
    // email goes to the victim of an account theft.
    const proven = await toolkit.applyCode(oob_code, recaptcha || mode === "recoverEmail" ? undefined : id_token);
    return mode === "verifyEmail"
      ? await finishConfirmation(context, proven, pending, way)
      : await finishAddressChange(context, mode, proven.email, way.to);
  } catch (error) {
    const own: OwnSentences =
      mode === "verifyEmail" ? { OTHERWISE: OLD_CONFIRMATION, ...oldLink(OLD_CONFIRMATION) } : {};
    return refusalOf(context, error, { ...own, OUTAGE, [NEEDS_SIGN_IN]: ELSEWHERE });
  }
}

const oldLink = (sentence: typeof OUTAGE): OwnSentences => ({ INVALID_OOB_CODE: sentence, EXPIRED_OOB_CODE: sentence });

type PendingSignUp = Awaited<ReturnType<typeof renewPendingSignUp>>;

async function finishConfirmation(
  context: Context,
  { id, email, has_way_in }: ProvenAddress,
  pending: PendingSignUp,
  way: Way,
): Promise<Response> {
  const { toolkit } = context.get(identityContext);
  const viewer = context.get(viewerContext);
  // The email belongs to another account, so this member's own address stays as it is.
  if (viewer?.session.id === id) {
    await takeOverAddress(context, email);
    return redirect(way.to, 303);
  }
  if (pending && decodeJwt(pending.tokens.id_token).sub === id) {
    const session = await openSession(context, await toolkit.refresh(pending.tokens.refresh_token));
    endReplacedSignIn(context, viewer?.session, session);
    forgetPendingSignUp(context);
    return redirect(`/signup/registration?${new URLSearchParams({ to: pending.to })}`, 303);
  }
  if (!has_way_in) return mailPasswordLink(context, email, way);
  if (viewer) return redirect(way.to, 303);
  setFlash(context, "email_confirmed");
  return redirect(loginPath(way.to), 303);
}

/**
 * The account has just replaced an unproven one that was started in another browser. It has no password, so mail a link
 * to set one.
 */
function mailPasswordLink(context: Context, email: string, { origin, to }: Way): Response {
  const { afterAnswer } = context.get(edgeContext);
  const { toolkit } = context.get(identityContext);
  afterAnswer("the mail that sets a password", () => toolkit.sendPasswordReset(email, origin + keptTo(to)));
  // A member who opened another person's email stays signed in.
  if (context.get(viewerContext)) return redirect(to, 303);
  return redirect(`/login/reset?${new URLSearchParams({ sent: "proven", ...(to === "/" ? {} : { to }) })}`, 303);
}

/** Tells the product now if this browser is signed in, or else at the next sign-in (app/sign-in/finish-sign-in.ts). */
async function finishAddressChange(
  context: Context,
  mode: "verifyAndChangeEmail" | "recoverEmail",
  email: string,
  to: string,
) {
  const flash_code: FlashCode = mode === "recoverEmail" ? "email_recovered" : "email_changed";
  const is_taken_over = context.get(viewerContext) !== null && (await takeOverAddress(context, email));
  if (mode === "recoverEmail") {
    setFlash(context, flash_code);
    return redirect("/login/reset", 303);
  }
  if (!is_taken_over) setFlash(context, flash_code);
  return redirect(is_taken_over ? to : loginPath(to), 303);
}

/** Sets a new password. `to` is the page to open after the next sign-in. */
export async function resetPassword(
  context: Context,
  oob_code: string,
  password: string,
  to: string,
): Promise<Response | Refused> {
  try {
    const replaced = await replaceUnproven(context, oob_code, { password });
    if (!replaced.ok) return { ...OUTAGE, code: replaced.refusal.code };
    if (replaced.email === null) await context.get(identityContext).toolkit.resetPassword(oob_code, password);
  } catch (error) {
    return refusalOf(context, error, { OUTAGE });
  }
  // The reset has ended all sign-ins of the account, including this browser's.
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
  const replaced = await replaceUnproven(context, oob_code, {});
  if (!replaced.ok) return { ...OUTAGE, code: replaced.refusal.code };
  const attempt = () => context.get(identityContext).toolkit.signInWithEmailLink(email, oob_code);
  const done = await trySignIn(context, attempt, aim, { INVALID_EMAIL: WRONG_ADDRESS });
  if (done instanceof Response) askedLink.forget(context);
  return done;
}
