import { redirect } from "react-router";
import { siteContext } from "../site/site-context.ts";
import type { Route } from "./+types/well-known.ts";

const TEXT = { "content-type": "text/plain; charset=utf-8" };
/** RFC 9116, section 2.5.5, recommends less than a year, so that nobody trusts an outdated file. */
const EXPIRES_MS = 180 * 24 * 60 * 60 * 1000;

/**
 * Answers addresses that programs know on every site (RFC 8615): password managers ask where a password is changed (W3C, "A
 * Well-Known URL for Changing Passwords"), and security researchers whom to tell of a hole (RFC 9116). Programs also ask for
 * many that we do not have, so these get no page.
 */
export function loader({ url, params, context }: Route.LoaderArgs) {
  if (params["*"] === "change-password") return redirect("/my/settings/password");
  if (params["*"] !== "security.txt") return new Response("Not Found\n", { status: 404, headers: TEXT });
  const fields = [
    `Contact: mailto:${context.get(siteContext).notice.email}`,
    `Expires: ${new Date(Date.now() + EXPIRES_MS).toISOString()}`,
    "Preferred-Languages: ja",
    `Canonical: ${url.origin}${url.pathname}`,
  ];
  return new Response(`${fields.join("\n")}\n`, { headers: TEXT });
}
