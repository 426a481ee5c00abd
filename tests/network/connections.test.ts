import { Agent, request } from "node:http";
import { expect, test } from "vitest";
import { network } from "../support/network.ts";

const ROUNDS = 10;

/** Statuses of posts sent one after another over one connection that is kept. */
async function statusesOver(path: string, body: string, is_own = false): Promise<(number | undefined)[]> {
  const { port, url } = await network();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = {
    host: `localhost:${port}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...(is_own && { origin: url }),
  };
  const once = () =>
    new Promise<number | undefined>((done, failed) => {
      const sent = request({ host: "127.0.0.1", port, path, method: "POST", agent, headers }, (response) => {
        response.resume().once("end", () => done(response.statusCode));
      });
      sent.once("error", failed).end(body);
    });
  const statuses: (number | undefined)[] = [];
  for (let round = 0; round < ROUNDS; round++) statuses.push(await once());
  agent.destroy();
  return statuses;
}

test.each([
  ["/v4/profile", 401],
  ["/v4/nothing", 404],
  ["/natsume/follow", 403],
])("a connection lives on after a form to %s was refused unread", async (path, status) => {
  expect(await statusesOver(path, "{}")).toEqual(Array(ROUNDS).fill(status));
});

test.each([
  ["/v4/profile", 401],
  ["/v4/intents", 413],
  ["/login", 413],
])("a megabyte sent to %s is answered and not cut off", async (path, status) => {
  expect(await statusesOver(path, "x".repeat(1_000_000), true)).toEqual(Array(ROUNDS).fill(status));
});
