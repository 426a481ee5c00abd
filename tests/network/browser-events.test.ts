import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, type Network, startTestNetwork } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";

let network: Network;
const lines: { message: string; user_id: string | null; path: string }[] = [];
beforeAll(async () => {
  const onLog = (line: string) => {
    if (line.includes('"page_view"')) lines.push(JSON.parse(line));
  };
  network = await startTestNetwork({}, { onLog });
});
afterAll(() => network.stop());

const tell = (who: Browser, path: string, headers: Record<string, string> = {}) =>
  who.send("/browser-events", {
    method: "POST",
    body: JSON.stringify({ build: "b", events: [{ type: "page_view", path, pattern: "/" }] }),
    headers: { ...who.sameOrigin(), ...headers },
  });

test("a page view is logged with the signed-in member, and sets no cookie for a visitor", async () => {
  const visitor = new Browser(network.url);
  const member = new Browser(network.url);
  await member.signIn("fan_hana");
  const answers = [await tell(visitor, "/natsume?secret"), await tell(member, "/my/box")];
  expect(answers.map(({ status, text }) => [status, text])).toEqual([
    [204, ""],
    [204, ""],
  ]);
  for (const { headers } of answers) {
    expect([headers.get("cache-control"), headers.getSetCookie()]).toEqual(["no-store", []]);
  }
  await waitUntil(() => expect(lines).toHaveLength(2));
  const [first, second] = lines;
  expect(first).toMatchObject({ message: "page_view", user_id: null, path: "/natsume" });
  expect(second).toMatchObject({ message: "page_view", user_id: expect.stringMatching(/^\w{10,}$/), path: "/my/box" });
});

test("another site cannot report events, and the address has no page", async () => {
  const visitor = new Browser(network.url);
  expect((await tell(visitor, "/", { origin: "https://evil.example" })).status).toBe(403);
  const { status, headers } = await visitor.get("/browser-events");
  expect([status, headers.get("allow")]).toEqual([405, "POST"]);
});
