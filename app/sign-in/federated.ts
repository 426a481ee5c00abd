import { type RouterContextProvider, redirect, redirectDocument } from "react-router";
import { identityContext, viewerContext } from "../session/context.ts";
import { SealedCookie } from "../session/sealed-cookie.ts";
import { type Aim, keptAim } from "./aim.ts";
import { finishSignIn, SOMEBODY_ELSE } from "./finish-sign-in.ts";
import { callbackPath, type IdentityProvider } from "./identity-providers.ts";
import { pendingJoin } from "./join.ts";
import { createRefusal, type OwnSentences, type Refused, refusalOf, SOMEBODY_ELSE_NOW } from "./refusals.ts";

type Context = Readonly<RouterContextProvider>;

/** The state of a sign-in with another provider. The browser must present it on the callback; it is valid once. */
interface Departure extends Aim {
  provider_id: string;
  session_id: string;
  state: string;
  /** The member who was signed in at the start. The provider may be linked only to that member's account. */
  user_id: string | null;
}

const TEN_MINUTES_S = 10 * 60;
const departure = new SealedCookie<Departure>("soziIdDeparture", TEN_MINUTES_S);

/** The purpose with which workers/web/apple-callback.ts encrypts a provider's cross-site form post for our own GET. */
export const POSTED_PURPOSE = "posted callback";
export const POSTED_MAX_AGE_S = 60;
export const POSTED_PARAMETER = "posted";

/** The value that ties a callback to its start: OAuth 2's `state`, or the `oauth_token` of X's OAuth 1.0a. */
const stateOf = (fields: URLSearchParams): string => fields.get("state") || fields.get("oauth_token") || "";

/**
 * Starts a sign-in with another provider and returns the redirect to it. Call it only from pages whose CSP allows forms
 * to redirect there (`federatedPatterns` in app/middleware/response.ts). `url` is the request's. Throws the errors of
 * the identity provider.
 */
export async function startFederated(
  context: Context,
  provider: IdentityProvider,
  { url, ...aim }: Aim & { url: URL },
): Promise<Response> {
  const { toolkit } = context.get(identityContext);
  const { auth_uri, session_id } = await toolkit.createAuthUri(
    provider.provider_id,
    url.origin + callbackPath(provider),
  );
  const state = stateOf(new URL(auth_uri, url).searchParams);
  if (state === "") throw new Error(`${provider.provider_id} is asked without a state`);
  const user_id = context.get(viewerContext)?.session.id ?? null;
  await departure.keep(context, { ...keptAim(aim), provider_id: provider.provider_id, session_id, state, user_id });
  // Reload the document even for the same origin: the developer identity provider's pages are not routes of the app.
  return redirectDocument(auth_uri, 303);
}

/** The result of a callback: a redirect or a refusal, and the aim of the sign-in. */
type Arrival = { aim: Aim } & ({ response: Response; refused: null } | { response: null; refused: Refused });

/**
 * Finishes a sign-in from {@link startFederated}. Works once, and only in the browser that started it. `url` is the
 * callback's.
 */
export async function arriveFederated(context: Context, provider: IdentityProvider, url: URL): Promise<Arrival> {
  const begun = await departure.take(context);
  const sealed = url.searchParams.get(POSTED_PARAMETER);
  const { toolkit, session_keys } = context.get(identityContext);
  const posted = sealed === null ? null : await session_keys.decrypt(sealed, POSTED_PURPOSE);
  const fields = sealed === null ? url.searchParams : new URLSearchParams(posted ?? "");
  const aim: Aim = begun ?? { to: "/", purpose: "sign_in" };
  const refuse = (why: Refused): Arrival => ({ response: null, refused: why, aim });
  const is_ours = begun?.provider_id === provider.provider_id && begun.state === stateOf(fields);
  if (fields.has("denied") && begun) return refuse(cancelledRefusal(provider));
  if (!begun || !is_ours) {
    return refuse(
      createRefusal(
        403,
        "別のブラウザーで始めたか、時間が経ったため、確認できませんでした。はじめからお試しください。",
      ),
    );
  }
  const viewer = context.get(viewerContext);
  if (aim.purpose !== "sign_in" && viewer?.session.id !== begun.user_id) {
    return refuse(SOMEBODY_ELSE_NOW);
  }
  const error = fields.get("error");
  if (error) return refuse(cancelledBy.has(error) ? cancelledRefusal(provider) : failedRefusal(provider));
  // Leave out the parameter with the encrypted form post, which we added to the address.
  const request_uri = sealed === null ? url.href : url.origin + url.pathname;
  const callback = { request_uri, post_body: posted ?? url.search.slice(1), session_id: begun.session_id };
  try {
    const id_token = aim.purpose === "link" ? viewer?.session.token : undefined;
    const answer = await toolkit.signInWithIdp(callback, id_token, aim.purpose !== "confirm");
    if (answer.kind === "needs_other_provider") {
      const { email, pending_token } = answer;
      if (!email || aim.purpose !== "sign_in") return refuse(failedRefusal(provider));
      const bare_uri = url.origin + url.pathname;
      const { provider_id } = provider;
      await pendingJoin.keep(context, { provider_id, email, pending_token, request_uri: bare_uri, to: aim.to });
      return { response: redirect("/login/join", 303), refused: null, aim };
    }
    const finished = await finishSignIn(context, answer, aim);
    return finished instanceof Response ? { response: finished, refused: null, aim } : refuse(finished);
  } catch (thrown) {
    return refuse(refusalOf(context, thrown, sentencesOf(provider)));
  }
}

/**
 * The error of a person who cancelled at the provider. Source: RFC 6749, section 4.1.2.1; Sign in with Apple,
 * "user_cancelled_authorize".
 */
const cancelledBy: ReadonlySet<string> = new Set(["access_denied", "user_cancelled_authorize", "user_cancelled_login"]);

const cancelledRefusal = ({ name }: Pick<IdentityProvider, "name">) =>
  createRefusal(403, `${name}での確認は取りやめられました。`);
const failedRefusal = ({ name }: IdentityProvider) =>
  createRefusal(502, `${name}での確認を完了できませんでした。時間をおいてもう一度お試しください。`);

function sentencesOf({ name }: IdentityProvider): OwnSentences {
  const LINKED = { status: 409, message: `この${name}アカウントは、すでに別のアカウントに連携されています。` };
  return {
    FEDERATED_USER_ID_ALREADY_LINKED: LINKED,
    // A member who confirms their identity must not create an account. So this error code means that the provider
    // identified another person.
    USER_NOT_FOUND: { status: 403, message: SOMEBODY_ELSE },
    USER_CANCELLED: cancelledRefusal({ name }),
    OUTAGE: { status: 503, message: `ただいま${name}で確認できません。時間をおいてもう一度お試しください。` },
    OTHERWISE: { status: 401, message: `${name}での確認を完了できませんでした。はじめからもう一度お試しください。` },
  };
}
