import { decodeJwt } from "jose";
import { type RouterContextProvider, redirect } from "react-router";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import { getProfile } from "../../workers/contract/users.ts";
import { log } from "../../workers/kernel/log.ts";
import { type IdentityClaims, TokenRefused } from "../../workers/verifier/index.ts";
import { announceKeptForm, finishFollow } from "../forms/intent.ts";
import { edgeContext, v4Context } from "../request/context.ts";
import { setFlash } from "../request/flash.ts";
import { loginPath, TOKEN_PATH } from "../request/to.ts";
import { identityContext, viewerContext } from "../session/context.ts";
import { closeSession, openSession } from "../session/current-session.ts";
import { leaveBehind } from "../session/former-sign-in.ts";
import { endSignIn } from "../session/global-sign-out.ts";
import { claimLikes } from "../session/guest.ts";
import { IdentityRefusal, type SignInAnswer, type Tokens } from "../session/identity-toolkit.ts";
import { linkedProviders } from "../session/providers.ts";
import type { Session } from "../session/session.ts";
import { type Aim, keptAim, keptTo } from "./aim.ts";
import { handedSignIn } from "./handed-sign-in.ts";
import { pendingJoin } from "./join.ts";
import { sendAddressToProduct } from "./new-address.ts";
import { createRefusal, type OwnSentences, type Refused, refusalOf } from "./refusals.ts";
import { askedFactorOf, pendingFactor } from "./second-factor.ts";

type Context = Readonly<RouterContextProvider>;

const UNPROVEN = "メールアドレスの確認がまだ済んでいません。確認メールをもう一度お送りしました。";
export const SOMEBODY_ELSE = "ログイン中のアカウントとは別のアカウントです。ログイン中のアカウントで確認してください。";

/**
 * The last step of every way to sign in. Opens a session and redirects to the destination; or redirects to the page for
 * the second factor or for confirming the account; or returns a refusal. Throws the errors of the identity provider.
 */
export async function finishSignIn(context: Context, answer: SignInAnswer, aim: Aim): Promise<Response | Refused> {
  if (answer.kind === "needs_second_factor") {
    const { pending_credential, factors } = answer;
    await pendingFactor.keep(context, {
      ...keptAim(aim),
      pending_credential,
      factors: factors.map(askedFactorOf),
    });
    return redirect("/login/factor", 303);
  }
  pendingFactor.forget(context);
  if (aim.purpose === "name") return askToConfirmAccount(context, answer.tokens, aim.to);
  return aim.purpose === "sign_in"
    ? signIn(context, answer.tokens, aim.to)
    : authenticateAgain(context, answer.tokens, aim);
}

/**
 * Calls {@link finishSignIn} with the answer of `attempt`. Turns the identity provider's errors into refusals in
 * Japanese.
 */
export async function trySignIn(
  context: Context,
  attempt: () => Promise<SignInAnswer>,
  aim: Aim,
  own: OwnSentences = {},
): Promise<Response | Refused> {
  try {
    return await finishSignIn(context, await attempt(), aim);
  } catch (error) {
    return refusalOf(context, error, own);
  }
}

async function signIn(context: Context, given: Tokens, to: string): Promise<Response | Refused> {
  if (await mustProveAddress(context, given)) {
    await endUnused(context, given);
    return createRefusal(403, UNPROVEN);
  }
  const tokens = (await linkPendingJoin(context, given)) ?? given;
  const former = context.get(viewerContext)?.session;
  const session = await openSession(context, tokens);
  await leaveBehind(context, former, session);
  endReplacedSignIn(context, former, session);
  const v4 = context.get(v4Context).as(session.token);
  const sent = await v4.send(getProfile, {});
  if (!sent.ok && sent.refusal.code === "registration_required") {
    return redirect(`/signup/registration?${new URLSearchParams({ to })}`, 303);
  }
  if (!sent.ok && sent.refusal.code === "account_disabled") {
    closeSession(context);
    await endUnused(context, tokens);
    return createRefusal(403, errorCatalogue.account_disabled.detail);
  }
  // The address was changed while its owner was signed out, so the product does not know it yet.
  if (sent.ok && session.email !== sent.answer.user.email) await sendAddressToProduct(v4, session);
  await claimLikes(context, v4);
  await finishFollow(context, v4);
  // After the follow: the page has one message, and the words matter more.
  const user_id = sent.ok ? sent.answer.user.user_id : undefined;
  await announceKeptForm(context, v4, to, { user_id, account_id: session.id });
  return redirect(to, 303);
}

/** Ends the sign-in of another account, if `current` has replaced it in this browser. */
export function endReplacedSignIn(context: Context, former: Session | undefined, current: Session): void {
  if (!former || former.id === current.id) return;
  // After the response: other open tabs notice the sign-out, and by then the browser must have the new cookies.
  context.get(edgeContext).afterAnswer("the end of a replaced sign-in", () => endSignIn(context, former));
}

/**
 * For a sign-in that another service handed over: stores it without opening a session, and redirects to the page that
 * names the account.
 */
async function askToConfirmAccount(context: Context, tokens: Tokens, to: string): Promise<Response | Refused> {
  const { sub, name = null, email = null } = claimsOf(tokens.id_token);
  if (context.get(viewerContext)?.session.id === sub) {
    await endUnused(context, tokens);
    handedSignIn.forget(context);
    return redirect(to, 303);
  }
  const sent = await context.get(v4Context).as(tokens.id_token).send(getProfile, {});
  if (!sent.ok && sent.refusal.code !== "registration_required") {
    await endUnused(context, tokens);
    return createRefusal(sent.refusal.status, sent.refusal.detail);
  }
  const user = sent.ok ? sent.answer.user : null;
  const account = {
    name: user?.name ?? name,
    link_id: user?.link_id ?? null,
    email: user?.email ?? email,
    icon_image: user?.icon_image ?? null,
  };
  const { refresh_token } = tokens;
  await handedSignIn.keep(context, {
    step: "named",
    mark: crypto.randomUUID(),
    refresh_token,
    account,
    to: keptTo(to),
  });
  return redirect(TOKEN_PATH, 303);
}

/** A signed-in member authenticates again: opens a new session, but only for the same account. */
async function authenticateAgain(context: Context, tokens: Tokens, { to, purpose }: Aim): Promise<Response | Refused> {
  const viewer = context.get(viewerContext);
  if (claimsOf(tokens.id_token).sub !== viewer?.session.id) {
    await endUnused(context, tokens);
    return viewer ? createRefusal(403, SOMEBODY_ELSE) : redirect(loginPath(to), 303);
  }
  const session = await openSession(context, tokens);
  await leaveBehind(context, viewer.session, session);
  const reader = { user_id: viewer.profile?.user_id, account_id: session.id };
  await announceKeptForm(context, context.get(v4Context).as(session.token), to, reader);
  if (purpose === "link") setFlash(context, "provider_linked");
  return redirect(to, 303);
}

/**
 * Returns true if the address must be verified first; then also sends another verification mail (decisions, "Limits").
 */
async function mustProveAddress(context: Context, { id_token }: Tokens): Promise<boolean> {
  const { toolkit } = context.get(identityContext);
  if (claimsOf(id_token).email_verified === true) return false;
  if (!(await linkedProviders(toolkit, id_token)).includes("password")) return false;
  await toolkit.sendVerificationMail(id_token);
  return true;
}

/**
 * Revokes a sign-in that will not be used. Otherwise its tokens would stay valid and the list of devices would show it.
 */
export async function endUnused(context: Context, { id_token }: Tokens): Promise<void> {
  const { sub, keyForGlobalSignOut = null } = claimsOf(id_token);
  await endSignIn(context, { id: sub, token: id_token, keyForGlobalSignOut });
}

/** Decodes without verifying, which is enough to choose the next step. Opening the session verifies the token. */
function claimsOf(id_token: string): IdentityClaims {
  try {
    return decodeJwt<IdentityClaims>(id_token);
  } catch (error) {
    throw new TokenRefused("no token", { cause: error });
  }
}

/**
 * Links the provider that waits in this browser (see join.ts) if this account has its address. Returns the new tokens,
 * or null if nothing was linked.
 */
async function linkPendingJoin(context: Context, { id_token }: Tokens): Promise<Tokens | null> {
  const waiting = await pendingJoin.take(context);
  const claims = claimsOf(id_token);
  if (!waiting || claims.email_verified !== true || claims.email !== waiting.email) return null;
  const { request_id } = context.get(edgeContext);
  const { toolkit } = context.get(identityContext);
  try {
    const callback = { request_uri: waiting.request_uri, pending_token: waiting.pending_token };
    const linked = await toolkit.signInWithIdp(callback, id_token);
    if (linked.kind !== "signed_in") return null;
    setFlash(context, "provider_linked");
    return linked.tokens;
  } catch (error) {
    // The member is signed in anyway, and can link the provider in the settings.
    if (!(error instanceof IdentityRefusal)) throw error;
    log("warn", { message: "another provider was not linked", request_id, code: error.code });
    return null;
  }
}
