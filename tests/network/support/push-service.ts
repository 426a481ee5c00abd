/** A push service on this machine, which takes every push notification. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export type RunningPushService = Awaited<ReturnType<typeof startPushService>>;

export async function startPushService() {
  const requests: { path: string | undefined; body: Uint8Array }[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url, body: new Uint8Array(await buffer(request)) });
    response.writeHead(201).end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: () => new Promise<void>((closed) => server.close(() => closed())),
  };
}
