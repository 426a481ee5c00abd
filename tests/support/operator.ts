import { type Site, siteAt } from "../../scripts/operator/site.ts";
import { type Network, network } from "./network.ts";

/** Returns a network as an operator's command reaches it; by default the shared one. */
export async function operatedSite(on?: Pick<Network, "url" | "secrets">): Promise<Site> {
  const { url, secrets } = on ?? (await network());
  return siteAt(url, secrets.OPERATOR_KEY, "operator-of-the-tests");
}
