/** Starts a site on one machine: the network of the workers, and the front that takes its requests. */
import { createFirstOperatorKey } from "../../workers/contract/first-operator.ts";
import { IDENTITY_ORIGIN } from "../../workers/verifier/deployment.ts";
import { signOperatorToken } from "../../workers/verifier/operator-token.ts";
import { callWorker } from "../inside.ts";
import { type Network, startNetwork } from "../network.ts";
import { newFrontKey, startFront } from "./front.ts";
import type { SiteSettings } from "./settings.ts";

export interface RunningSite {
  network: Network;
  /** The key with which the first operator registers. Null when the site has an operator. */
  first_operator_key: string | null;
  stop(): Promise<void>;
}

/**
 * @param has_pictures as of {@link startNetwork}.
 * @throws Refusal when the folder or the port is taken, or this version may not serve the data.
 */
export async function startSite(settings: SiteSettings, { has_pictures = true } = {}): Promise<RunningSite> {
  const front_key = newFrontKey();
  const { folder: data_dir, overrides } = settings;
  const network = await startNetwork({ data_dir, world: "site", has_pictures, has_front: true, overrides, front_key });
  try {
    const front = await startFront(settings, { port: network.port, key: front_key });
    return {
      network,
      first_operator_key: await makeFirstOperatorKey(network),
      async stop() {
        await front.stop();
        await network.stop();
      },
    };
  } catch (error) {
    await network.stop();
    throw error;
  }
}

async function makeFirstOperatorKey({ miniflare, secrets }: Network): Promise<string | null> {
  const signed = { key: secrets.OPERATOR_KEY, audience: "ofuse-identity", now_ms: Date.now() } as const;
  const { method, path, answer } = createFirstOperatorKey;
  const made = await callWorker(miniflare, "ofuse-identity", {
    url: `${IDENTITY_ORIGIN}${path}`,
    method,
    headers: { authorization: `Bearer ${await signOperatorToken("site", signed)}` },
  });
  return answer.parse(JSON.parse(made.text)).key;
}
