import type { RouterContextProvider } from "react-router";
import { identityContext } from "../session/context.ts";
import { IdentityRefusal } from "../session/identity-toolkit.ts";
import { SealedCookie } from "../session/sealed-cookie.ts";
import { type Aim, keptAim } from "./aim.ts";

/** The address this browser requested a sign-in link for. Opening the link here does not ask for it again. */
interface AskedLink extends Aim {
  email: string;
}

const HOUR_S = 60 * 60;
export const askedLink = new SealedCookie<AskedLink>("soziIdLink", HOUR_S);

/** Refusals that would reveal which addresses have an account, or of what kind. */
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

/** Requests a mail without revealing whether one was sent. */
export async function askQuietly(ask: () => Promise<void>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof IdentityRefusal && TELLING.has(error.code))) throw error;
  }
}
