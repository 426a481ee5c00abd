import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy between the site and its identity provider. It counts calls and may answer them itself. */
export interface ProviderProxy {
  origin: string;
  /** The methods called, in order: `token`, `accounts:lookup`, ... */
  asked: string[];
  /** The provider's URL; known once the network has started. */
  upstream: string;
  /** Answers in place of the provider; null forwards the call. */
  answer: ((response: ServerResponse) => void) | null;
  stop(): Promise<void>;
}

export async function startProviderProxy(): Promise<ProviderProxy> {
  const server = createServer(async (request, response) => {
    const url = request.url ?? "";
    proxy.asked.push(/([^/?]+)(?:\?|$)/.exec(url)?.[1] ?? "");
    if (proxy.answer) return proxy.answer(response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await fetch(proxy.upstream + url, {
      method: request.method,
      headers: { "content-type": request.headers["content-type"] ?? "" },
      body: Buffer.concat(chunks),
    });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: ProviderProxy = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    upstream: "",
    answer: null,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
