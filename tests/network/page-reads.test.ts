import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, openBrowserAs, startTestNetwork } from "../support/network.ts";

/** Counts what the pages cost: calls of the API, and the trips to its database. */

let network: Awaited<ReturnType<typeof startTestNetwork>>;
let proxy: Server;
/** The API's own count for each call since the last page. */
let calls: string[] = [];
/** How often the worker has asked for its own state: after some minutes, and soon after a failure, but not for each page. */
let workers_own = 0;
let pages = 0;

beforeAll(async () => {
  // The web worker calls the API through this proxy instead of its binding.
  proxy = createServer(async (request, response) => {
    const api = await network.miniflare.getWorker("ofuse-api");
    const headers = new Headers();
    for (const name of ["authorization", "content-type", "x-request-id"]) {
      const value = request.headers[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const body = request.method === "GET" ? undefined : await text(request);
    const { method = "GET" } = request;
    const answer = await api.fetch(`http://api.internal${request.url}`, { method, headers, body } as object);
    if (request.url?.startsWith("/v4/edge_state")) workers_own++;
    else calls.push(answer.headers.get("server-timing") ?? "");
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(await answer.text());
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  network = await startTestNetwork({ V4_ORIGIN: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
});
afterAll(async () => {
  expect(workers_own).toBeLessThan(pages / 4);
  await network.stop();
  proxy.closeAllConnections();
  proxy.close();
});

/** Opens a page twice, and returns what the second time cost: the first may fill memories. */
async function costOf(reader: Browser, path: string) {
  const first = await reader.get(path);
  calls = [];
  const page = await reader.get(path);
  pages += 2;
  expect([first.status, page.status], path).toEqual([200, 200]);
  const counts = calls.map((count) => count.match(/\d+/g)?.map(Number) ?? []);
  const sum = (index: number) => counts.reduce((total, each) => total + (each[index] ?? Number.NaN), 0);
  return { calls: calls.length, trips: sum(0), repeats: sum(2) };
}

const post = async (reader: Browser) =>
  /href="(\/natsume\/events\/\w{26})"/.exec((await reader.get("/natsume")).text)?.[1] ?? "";

/** A letter as opened from a search of the box. */
const letter = async (reader: Browser) =>
  /href="(\/my\/box\/\w{26}\?[^"]+)"/
    .exec((await reader.get("/my/box?keyword=です")).text)?.[1]
    ?.replaceAll("&amp;", "&") ?? "";
const addresses: Record<string, (reader: Browser) => Promise<string>> = { "a post": post, "a letter found": letter };

test.each([
  ["fan_hana", "/"],
  ["fan_hana", "/natsume"],
  ["fan_hana", "a post"],
  ["fan_hana", "/natsume/ofuse"],
  ["fan_hana", "/natsume/about"],
  ["natsume", "/my/box"],
  ["natsume", "a letter found"],
  ["natsume", "/my/posts"],
  ["natsume", "/my/notifications"],
  ["natsume", "/my/settings"],
  ["natsume", "/my/transactions"],
  ["natsume", "/my/stats"],
])("a page of %s, %s, makes two calls and few trips, and reads nothing twice", async (who, path) => {
  const reader = await openBrowserAs(who, network);
  const cost = await costOf(reader, (await addresses[path]?.(reader)) ?? path);
  expect(cost.calls).toBeLessThanOrEqual(2);
  expect(cost.trips).toBeLessThanOrEqual(3);
  expect(cost.repeats).toBe(0);
});
