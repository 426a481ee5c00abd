import type { RouterContextProvider } from "react-router";
import { identityContext } from "../session/context.ts";
import { IdentityRefusal } from "../session/identity-toolkit.ts";
import { SealedCookie } from "../session/sealed-cookie.ts";
import { type Aim, keptAim } from "./aim.ts";

/**
 * The address for which this browser requested a sign-in link. In this browser, opening the link does not ask for the
 * address again.
 */
interface AskedLink extends Aim {
  email: string;
}

const HOUR_S = 60 * 60;
export const askedLink = new SealedCookie<AskedLink>("soziIdLink", HOUR_S);

/** The errors that would reveal which addresses have an account, or what kind of account. A page never shows them. */
const TELLING: ReadonlySet<string> = new Set(["EMAIL_NOT_FOUND", "USER_DISABLED", "USER_NOT_FOUND"]);

/** Mails a sign-in link; behaves the same for every address. `url` is the request's. */
export async function sendSignInLink(
  context: Readonly<RouterContextProvider>,
  email: string,
  { url, ...aim }: Aim & { url: URL },
): Promise<void> {
  const kept = keptAim(aim);
  await askQuietly(() => context.get(identityContext).toolkit.sendEmailLink(email, url.origin + kept.to));
  await askedLink.keep(context, { ...kept, email });
}

/** Requests a mail and ignores the errors that would reveal whether the address has an account. */
export async function askQuietly(ask: () => Promise<void>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof IdentityRefusal && TELLING.has(error.code))) throw error;
  }
}
