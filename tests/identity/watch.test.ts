import { afterAll, beforeAll, expect, test } from "vitest";
import { signUp } from "./people.ts";
import { type RunningIdentity, startIdentity } from "./support.ts";

/** Tests the Durable Object that holds the sockets of one account's open pages. */

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

/** Node's WebSocket accepts headers; the browser's types do not. */
const Socket = WebSocket as unknown as new (url: string, options: { headers: Record<string, string> }) => WebSocket;

/** Opens a page of the account and waits until its socket is accepted. */
async function openPage(idToken: string): Promise<WebSocket> {
  const headers = { authorization: `Bearer ${idToken}` };
  const socket = new Socket(`${identity.origin.replace("http", "ws")}/watch`, { headers });
  await new Promise((open, fail) => {
    socket.addEventListener("open", open, { once: true });
    socket.addEventListener("error", () => fail(new Error("the socket was not accepted")), { once: true });
  });
  return socket;
}

const closeCodeOf = (socket: WebSocket) =>
  new Promise<number>((closed) => socket.addEventListener("close", ({ code }) => closed(code), { once: true }));
const answerOf = (socket: WebSocket) =>
  new Promise<unknown>((said) => socket.addEventListener("message", ({ data }) => said(data), { once: true }));

test("answers a ping, and closes a page that says anything else", async () => {
  const { idToken } = await signUp(identity, "speaks@example.jp");
  const page = await openPage(idToken);
  const answer = answerOf(page);
  page.send("ping");
  expect(await answer).toBe("pong");
  const closed = closeCodeOf(page);
  page.send("hello");
  expect(await closed).toBe(1008);
});

test("accepts a hundred pages, and closes the oldest for one more", async () => {
  const { idToken } = await signUp(identity, "many-pages@example.jp");
  const oldest = await openPage(idToken);
  const said = answerOf(oldest);
  const others = await Promise.all(Array.from({ length: 100 }, () => openPage(idToken)));
  expect(await said).toBe("too many sockets");
  expect(others.map(({ readyState }) => readyState)).toEqual(Array(100).fill(WebSocket.OPEN));
  for (const socket of others) socket.close();
});

test("refuses a request without a token, and one that is no upgrade", async () => {
  const { idToken } = await signUp(identity, "no-upgrade@example.jp");
  const fetchStatus = async (headers: Record<string, string>) => (await identity.fetch("/watch", { headers })).status;
  expect(await fetchStatus({ authorization: `Bearer ${idToken}` })).toBe(400);
  expect(await fetchStatus({})).toBe(400);
  await expect(openPage("a.b.c")).rejects.toThrow("the socket was not accepted");
});
