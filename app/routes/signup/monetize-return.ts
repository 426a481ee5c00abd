import { redirect, redirectDocument } from "react-router";
import { updateCreatorAccount } from "../../../workers/contract/payouts.ts";
import { v4Context } from "../../request/context.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import type { Route } from "./+types/monetize-return.ts";

/** Where the gateway's pages lead back to: asks how far the registration is, then shows it. */
export async function loader({ context }: Route.LoaderArgs) {
  if (!context.get(viewerContext)) throw redirectDocument(loginPath("/signup/monetize"));
  // When the gateway is silent, the page shows what is known; the clock asks again.
  await context.get(v4Context).send(updateCreatorAccount, { body: {} });
  return redirect("/signup/monetize");
}
