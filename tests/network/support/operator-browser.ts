import { Browser, database, network } from "../../support/network.ts";
import { mintOperatorCookie } from "../../support/session.ts";

/** Returns an operator's browser, with the sign-in of this token. A sign-in of long ago needs an older account. */
export async function openOperatorBrowser(
  { token }: { token: string },
  { has_factor = true, signed_in_s_ago = 0 }: { has_factor?: boolean; signed_in_s_ago?: number } = {},
): Promise<Browser> {
  const { url, secrets } = await network();
  const browser = new Browser(url);
  const changed = {
    auth_time: Math.floor(Date.now() / 1000) - signed_in_s_ago,
    ...(!has_factor && { firebase: { sign_in_provider: "password" } }),
  };
  const cookies = await mintOperatorCookie(await database("identity"), secrets, token, changed);
  for (const [name, value] of Object.entries(cookies)) browser.cookies.set(name, value);
  return browser;
}
