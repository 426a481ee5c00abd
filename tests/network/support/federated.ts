/** A network whose identity provider accepts other providers. The test decides whom they identify. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Browser, type Network, startTestNetwork } from "../../support/network.ts";

export interface IdpCall {
  requestUri: string;
  postBody?: string;
  sessionId?: string;
  idToken?: string;
  pendingToken?: string;
  autoCreate?: boolean;
}

export interface FederatedNetwork {
  network: Network;
  /** The calls of `accounts:signInWithIdp` and `accounts:signInWithCustomToken`, in order. */
  calls: IdpCall[];
  /** The next answer; a string is an error code. */
  answer: Record<string, unknown> | string;
  newBrowser(): Browser;
  /** Calls the network's own provider. */
  account(method: string, body: object): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startFederatedNetwork(): Promise<FederatedNetwork> {
  let network: Network | undefined;
  const ask = async (path: string, body: string) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${network?.url}/identitytoolkit.googleapis.com${path}`, {
      method: "POST",
      headers,
      body,
    });
    return { status: response.status, text: await response.text() };
  };
  const federated: Pick<FederatedNetwork, "calls" | "answer"> = { calls: [], answer: "INVALID_IDP_RESPONSE" };
  const answerTo = async (path: string, body: string) => {
    if (path.includes("accounts:createAuthUri")) {
      const { providerId, continueUri } = JSON.parse(body) as Record<string, string>;
      const query = new URLSearchParams({ state: randomUUID(), redirect_uri: continueUri ?? "", client_id: "test" });
      return {
        status: 200,
        text: JSON.stringify({ authUri: `https://${providerId}.example/auth?${query}`, sessionId: randomUUID() }),
      };
    }
    if (!/accounts:signInWith(?:Idp|CustomToken)/.test(path)) return ask(path, body);
    federated.calls.push(JSON.parse(body));
    const { answer } = federated;
    return typeof answer === "string"
      ? { status: 400, text: JSON.stringify({ error: { message: answer } }) }
      : { status: 200, text: JSON.stringify(answer) };
  };
  const provider = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { status, text } = await answerTo(request.url ?? "", body);
    response.writeHead(status, { "content-type": "application/json" }).end(text);
  });
  await new Promise<void>((done) => provider.listen(0, "127.0.0.1", done));
  const { port } = provider.address() as AddressInfo;
  const started = await startTestNetwork({ IDENTITY_TOOLKIT_URL: `http://127.0.0.1:${port}` });
  network = started;
  return Object.assign(federated, {
    network: started,
    newBrowser: () => new Browser(started.url),
    async account(method: string, body: object) {
      const { text } = await ask(
        `/v1/accounts:${method}?key=${started.secrets.IDENTITY_API_KEY}`,
        JSON.stringify(body),
      );
      return JSON.parse(text) as Record<string, string>;
    },
    async stop() {
      await started.stop();
      provider.close();
    },
  });
}
