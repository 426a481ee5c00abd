import type { RouterContextProvider } from "react-router";
import type { Profile } from "../../workers/contract/users.ts";
import { jarContext } from "../request/context.ts";
import { MAIL_LANGUAGE_COOKIE } from "../request/cookies.ts";
import { identityContext } from "./context.ts";

const MAX_AGE_S = 400 * 24 * 60 * 60;

/**
 * Sets the language of the mails that this request asks the identity provider for: the member's choice, otherwise the
 * choice of the last member of this browser. The cookie keeps that choice for sign-in links and password resets, which
 * are asked for without a sign-in. Japanese needs no cookie. Source: docs/decisions/0049.
 *
 * @param profile null for a visitor, and for an account that is not registered.
 */
export function chooseMailLanguage(context: Readonly<RouterContextProvider>, profile: Profile | null): void {
  const jar = context.get(jarContext);
  const kept = jar.read(MAIL_LANGUAGE_COOKIE) === "en" ? "en" : "ja";
  const language = profile?.mail_language ?? kept;
  if (language !== kept) {
    if (language === "ja") jar.clear(MAIL_LANGUAGE_COOKIE);
    else jar.set(MAIL_LANGUAGE_COOKIE, language, MAX_AGE_S);
  }
  const identity = context.get(identityContext);
  context.set(identityContext, { ...identity, toolkit: identity.toolkit.inLanguage(language) });
}
