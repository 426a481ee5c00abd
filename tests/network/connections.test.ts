import { Agent, request } from "node:http";
import { expect, test } from "vitest";
import { network } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";

const ROUNDS = 10;
/** workerd closes a connection after five idle seconds, which may happen on a busy machine and is no error of ours. */
const RESTED_MS = 1000;

/** Returns the statuses of posts sent one after another over one kept-alive connection. */
async function statusesOver(path: string, body: string, is_own = false): Promise<(number | undefined)[]> {
  const { port, url } = await network();
  let agent = new Agent({ keepAlive: true, maxSockets: 1 });
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
  let answered_at = performance.now();
  for (let round = 0; round < ROUNDS; round++) {
    if (performance.now() - answered_at > RESTED_MS) {
      agent.destroy();
      agent = new Agent({ keepAlive: true, maxSockets: 1 });
    }
    statuses.push(await once());
    answered_at = performance.now();
  }
  agent.destroy();
  return statuses;
}

test.each([
  ["/v4/profile", 401],
  ["/v4/nothing", 404],
  ["/natsume/follow", 403],
])("a connection stays usable after %s refused a form without reading it", async (path, status) => {
  expect(await statusesOver(path, "{}")).toEqual(Array(ROUNDS).fill(status));
});

test.each([
  ["/v4/profile", 401],
  ["/v4/intents", 413],
  ["/login", 413],
])("a megabyte sent to %s gets a complete answer", async (path, status) => {
  expect(await statusesOver(path, "x".repeat(1_000_000), true)).toEqual(Array(ROUNDS).fill(status));
});

test("requests that clients abort do not block later ones", async () => {
  const { url } = await network();
  // Long enough that some requests are in the middle of a query, a shared render or a private render.
  const pathsOf = (round: number) => [
    `/natsume?given_up=${round}`,
    "/v4/users?link_id=natsume",
    `/hibiki/ofuse?given_up=${round}`,
    "/v4/users/recommend",
  ];
  for (let round = 0; round < 12; round++) {
    const given_up = pathsOf(round).flatMap((path) =>
      Array.from({ length: 32 }, async (_, index) => {
        const headers: Record<string, string> = index % 2 === 0 ? {} : { cookie: "a=1" };
        await fetch(url + path, { headers, signal: AbortSignal.timeout(1 + round + 4 * index) }).catch(() => {});
      }),
    );
    await Promise.all(given_up);
  }
  for (const path of [0, 5, 11].flatMap(pathsOf)) {
    for (const cookie of ["", "a=1"]) {
      // A busy machine works on the abandoned requests for some seconds, and pages then answer 503 in time.
      await waitUntil(async () => {
        const { status } = await fetch(url + path, { headers: cookie ? { cookie } : {} });
        expect([path, status]).toEqual([path, 200]);
      });
    }
  }
});
