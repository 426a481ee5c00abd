import { once } from "node:events";
import { Agent, createServer, type RequestListener, request, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Front, openFront } from "../../scripts/front.ts";
import { freePort } from "../../scripts/network.ts";

/** Stands in for workerd, which closes its connections when it likes. */
let workerd: Server;
let answer: RequestListener;
let front: Front;
let url: string;

beforeAll(async () => {
  vi.spyOn(console, "error").mockReturnValue();
  workerd = createServer((asked, response) => answer(asked, response)).listen(0, "127.0.0.1");
  await once(workerd, "listening");
  const port = await freePort();
  front = await openFront(port, (workerd.address() as AddressInfo).port);
  url = `http://127.0.0.1:${port}`;
});
afterEach(() => workerd.removeAllListeners("upgrade"));
afterAll(async () => {
  await front.close();
  workerd.close();
  vi.restoreAllMocks();
});

/** Sends a request over a connection of the agent. Returns the answer, and the connection's own port. */
async function sendOver(agent: Agent, path: string): Promise<{ status: number; port: number | undefined }> {
  const sent = request(url + path, { agent }).end();
  const [response] = await once(sent, "response");
  const port = sent.socket?.localPort;
  await once(response.resume(), "end");
  return { status: response.statusCode, port };
}

const form = { method: "POST", body: new URLSearchParams({ message: "大切な<言葉>", idempotency_key: "k-1" }) };
const page = { accept: "text/html", "sec-fetch-site": "same-origin" };

test("a client keeps its connection, whatever workerd does with its own", async () => {
  answer = (_, response) => {
    response.end("done", () => response.socket?.destroySoon());
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const [first, second] = [await sendOver(agent, "/"), await sendOver(agent, "/")];
  expect(second).toEqual({ status: 200, port: first.port });
  agent.destroy();
});

test("a read that met a closing connection is sent again", async () => {
  const met = new Set<Socket>();
  answer = ({ socket }, response) => {
    if (met.has(socket)) socket.destroy();
    else response.end("done");
    met.add(socket);
  };
  const statuses = [];
  for (let round = 0; round < 3; round++) statuses.push((await fetch(`${url}/`)).status);
  expect([statuses, met.size]).toEqual([[200, 200, 200], 3]);
});

test("a form gets a connection of its own, and is never sent twice", async () => {
  const met: Socket[] = [];
  answer = ({ socket, method }, response) => {
    if (method === "POST") met.push(socket);
    response.end("done");
  };
  await fetch(url);
  for (let round = 0; round < 2; round++) await fetch(url, form);
  expect(new Set(met).size).toBe(2);
  let forms = 0;
  answer = ({ socket }) => {
    forms += 1;
    socket.destroy();
  };
  expect([(await fetch(url, form)).status, forms]).toEqual([503, 1]);
});

test("while workerd is away, a page says so, returns the form's words, and says when to try again", async () => {
  answer = ({ socket }) => socket.destroy();
  const response = await fetch(`${url}/natsume/ofuse`, { ...form, headers: { ...page, origin: url } });
  expect([response.status, response.headers.get("retry-after"), response.headers.get("cache-control")]).toEqual([
    503,
    "5",
    "private, no-store",
  ]);
  const text = await response.text();
  expect(text).toContain("ただいま表示できません");
  expect(text).toContain(">\n大切な&lt;言葉&gt;</textarea>");
  expect(text).toContain('<form method="post" action="/natsume/ofuse">');
  expect(text).toContain('name="idempotency_key" value="k-1"');
});

test("a page of another site gets no form of ours to send", async () => {
  answer = ({ socket }) => socket.destroy();
  const headers = { ...page, origin: "https://other.example", "sec-fetch-site": "cross-site" };
  const text = await (await fetch(`${url}/natsume/ofuse`, { ...form, headers })).text();
  expect(text).not.toContain("大切な");
});

test("a call that workerd does not answer gets a problem document", async () => {
  answer = ({ socket }) => socket.destroy();
  const response = await fetch(`${url}/v4/profile`);
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await response.json()).toMatchObject({ code: "unavailable", status: 503 });
});

test("a request that its client gives up is given up at workerd too", async () => {
  const given_up = Promise.withResolvers<void>();
  const sending = new AbortController();
  answer = (_, response) => {
    response.on("close", () => given_up.resolve());
    sending.abort();
  };
  await expect(fetch(url, { signal: sending.signal })).rejects.toThrow();
  await given_up.promise;
});

test("an answer that breaks off before its first byte is refused", async () => {
  answer = ({ socket }) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n", () => socket.destroy());
  expect((await fetch(url)).status).toBe(503);
});

// nginx speaks HTTP/1.0 to the site by default, where a closed connection may end a whole answer: it would cache the half.
test.each([
  ["a client", "1.1", {}],
  ["a client that was told the length", "1.1", { "content-length": "8" }],
  ["a proxy of HTTP/1.0", "1.0", {}],
])("an answer that breaks off never looks whole to %s: the connection is reset", async (_, version, headers) => {
  const arrived = Promise.withResolvers<void>();
  answer = (_asked, response) => {
    response.writeHead(200, headers).write("half");
    void arrived.promise.then(() => response.destroy());
  };
  const client = connect(Number(new URL(url).port), "127.0.0.1");
  client.write(`GET / HTTP/${version}\r\nhost: site.test\r\n\r\n`);
  let text = "";
  client.setEncoding("utf8").on("data", (piece) => {
    text += piece;
    if (text.includes("half")) arrived.resolve();
  });
  const how = await new Promise((done) =>
    client.on("error", ({ message }) => done(message)).on("end", () => done("end")),
  );
  expect([how, text.includes("\r\n0\r\n")]).toEqual(["read ECONNRESET", false]);
});

test("a socket is passed on in both directions", async () => {
  workerd.on("upgrade", (_, socket: Socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n");
    socket.pipe(socket);
  });
  const sent = request(`${url}/socket`, { headers: { upgrade: "websocket", connection: "upgrade" } }).end();
  const [, socket] = (await once(sent, "upgrade")) as [unknown, Socket];
  socket.write("hello");
  expect(String((await once(socket, "data"))[0])).toBe("hello");
  socket.destroy();
});

test("the head of a stream arrives before its first byte", async () => {
  const closed = Promise.withResolvers<void>();
  answer = (_, response) => {
    response.on("close", () => closed.resolve());
    response.flushHeaders();
  };
  const sending = new AbortController();
  const { status } = await fetch(url, { signal: sending.signal });
  expect(status).toBe(200);
  sending.abort();
  await closed.promise;
});

/** Sends a request with this first line, and returns the head of the answer. */
async function sendRaw(line: string, headers: string): Promise<string> {
  const client = connect(Number(new URL(url).port), "127.0.0.1");
  client.write(`${line}\r\n${headers}\r\n\r\n`);
  const [head] = await once(client, "data");
  client.destroy();
  return String(head);
}

// RFC 9112, section 3.2.2: the address names the host, whatever the header says.
test.each([
  ["GET http://site.test/robots.txt?a=%20b HTTP/1.1", "host: other.test", "/robots.txt?a=%20b", "site.test"],
  ["GET HTTPS://Site.test:443?a HTTP/1.1", "host: site.test", "/?a", "site.test"],
  ["GET http://site.test:8080/ HTTP/1.0", "accept: */*", "/", "site.test:8080"],
])("a target that is a whole address is asked for by its path: %s", async (line, headers, path, host) => {
  const seen: unknown[] = [];
  answer = (asked, response) => {
    seen.push(asked.url, asked.headers.host);
    response.end("done");
  };
  expect(await sendRaw(line, headers)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(seen).toEqual([path, host]);
});

const GET = "GET / HTTP/1.1";
test.each([
  ["two hosts", GET, "host: a.test\r\nhost: b.test"],
  ["two hosts, of which one is empty", GET, "host: a.test\r\nhost:"],
  ["a host with a space", GET, "host: a test"],
  ["a host with a path", GET, "host: a.test/b"],
  ["a socket with two hosts", GET, "host: a.test\r\nhost: b.test\r\nconnection: Upgrade\r\nupgrade: websocket"],
  ["no path", "OPTIONS * HTTP/1.1", "host: a.test"],
  ["an address of another kind", "GET ftp://a.test/ HTTP/1.1", "host: a.test"],
  ["an address with a name", "GET http://name@a.test/ HTTP/1.1", "host: a.test"],
  ["an address with an impossible host", "GET http://a%zz/ HTTP/1.1", "host: a.test"],
  [
    "a socket at an impossible address",
    "GET http://a%zz/ HTTP/1.1",
    "host: a.test\r\nconnection: Upgrade\r\nupgrade: x",
  ],
])("a request with %s is refused, and does not reach workerd", async (_, line, headers) => {
  let asked = 0;
  const count = () => {
    asked += 1;
  };
  answer = (_, response) => {
    count();
    response.end("done");
  };
  workerd.on("upgrade", (_, socket) => {
    count();
    socket.destroy();
  });
  expect(await sendRaw(line, headers)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(asked).toBe(0);
});
