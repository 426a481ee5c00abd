/** Tests whom the front of a site believes about the client, and what it passes on. */
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from "node:http";
import { request as requestOverTls } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectOverTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { freePort } from "../../scripts/network.ts";
import { originOf } from "../../scripts/site/client-address.ts";
import { startFront } from "../../scripts/site/front.ts";
import { writeCertificate } from "../support/certificates.ts";

describe("the client's address", () => {
  const told = (forwarded_for: string | undefined, forwarded_proto?: string) => ({ forwarded_for, forwarded_proto });
  const trusted = ["127.0.0.1", "10.0.0.5", "2001:db8::1"];
  const HERE = "127.0.0.1";
  const THERE = "203.0.113.9";

  test.each([
    ["is the connection's when nobody is trusted", THERE, told("1.1.1.1", "https"), [], THERE, false],
    ["is the connection's when another is trusted", "127.0.0.2", told(THERE, "https"), trusted, "127.0.0.2", false],
    ["is what a trusted proxy says", HERE, told(THERE, "https"), trusted, THERE, true],
    ["is not what the client said before", "::ffff:127.0.0.1", told(`1.1.1.1, ${THERE}`), trusted, THERE, false],
    ["is found behind two trusted proxies", HERE, told(`1.1.1.1, ${THERE}, 10.0.0.5`), trusted, THERE, false],
    ["is the proxy's when the proxy says nothing", HERE, told(undefined, "https"), trusted, HERE, true],
    ["is the proxy's when what it says is no address", HERE, told("unknown"), trusted, HERE, false],
    ["may be of IPv6", "2001:DB8::1", told("2001:db8:1::9", "http, https"), trusted, "2001:db8:1::9", true],
  ])("%s", (_, peer, forwarded, proxies, address, is_https) => {
    expect(originOf(peer, forwarded, proxies)).toEqual({ address, is_https });
  });
});

const REFUSED = "HTTP/1.1 401 Unauthorized\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n";

/** Stands in for the edge: echoes sockets, and answers a request with its headers and its body. */
let edge: Server;
beforeAll(async () => {
  edge = createServer(async (asked, response) => {
    if (asked.url === "/half") {
      response.write("half", () => response.destroy());
      return;
    }
    let body = "";
    for await (const piece of asked.setEncoding("utf8")) body += piece;
    response.setHeader("set-cookie", ["a=1", "b=2"]);
    response.end(JSON.stringify({ path: asked.url, headers: asked.headers, body }));
  });
  edge.on("upgrade", (asked, socket) => {
    if (asked.url === "/refused") {
      socket.end(REFUSED);
      return;
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${asked.headers.upgrade}\r\nConnection: Upgrade\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  await once(edge.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => edge.close());

const edgePort = () => (edge.address() as AddressInfo).port;
const forged = {
  "cf-connecting-ip": "6.6.6.6",
  "x-real-ip": "6.6.6.6",
  forwarded: "for=6.6.6.6",
  "mf-cf-blob": "{}",
  "x-front-key": "guessed",
  "x-forwarded-proto": "https",
};

async function readAnswer(sent: ReturnType<typeof request>, body = "") {
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const piece of answer.setEncoding("utf8")) text += piece;
  return { answer, seen: JSON.parse(text) as { path: string; headers: IncomingHttpHeaders; body: string } };
}

const addressesIn = (headers: IncomingHttpHeaders) =>
  Object.entries(headers).filter(([name]) => Object.keys(forged).includes(name) || name === "x-forwarded-for");

test("behind a proxy the edge gets the client's address once, the request as it was, and joined sockets", async () => {
  const port = await freePort();
  const front = await startFront(
    { origin: "https://letters.test", port, entrance: { kind: "proxy", trusted: ["127.0.0.1"] } },
    { port: edgePort(), key: "key" },
  );
  const headers = { host: "letters.test", ...forged, "x-forwarded-for": "203.0.113.9" };
  const sent = request({ host: "127.0.0.1", port, path: "/a?b=%20c", method: "POST", headers });
  const { answer, seen } = await readAnswer(sent, "手紙");
  expect(seen).toMatchObject({ path: "/a?b=%20c", body: "手紙", headers: { host: "letters.test" } });
  expect(addressesIn(seen.headers)).toEqual([
    ["cf-connecting-ip", "203.0.113.9"],
    ["x-front-key", "key"],
  ]);
  expect(answer.headers["set-cookie"]).toEqual(["a=1", "b=2"]);

  const upgrade = { ...headers, connection: "Upgrade", upgrade: "websocket" };
  const opened = request({ host: "127.0.0.1", port, path: "/session/watch", headers: upgrade });
  opened.end();
  const [, socket] = await once(opened, "upgrade");
  socket.write("ping");
  expect(String((await once(socket, "data"))[0])).toBe("ping");
  socket.destroy();
  const refused = request({ host: "127.0.0.1", port, path: "/refused", headers: upgrade }).end();
  const [answered] = (await once(refused, "response")) as [IncomingMessage];
  expect([answered.statusCode, String((await once(answered, "data"))[0])]).toEqual([401, "no"]);

  // RFC 9112, section 3.2: no request has two hosts.
  for (const more of ["", "connection: Upgrade\r\nupgrade: websocket\r\n"]) {
    const twice = connect(port, "127.0.0.1");
    twice.write(`GET / HTTP/1.1\r\nhost: letters.test\r\nhost: other.test\r\n${more}\r\n`);
    expect(String((await once(twice, "data"))[0])).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    twice.destroy();
  }

  // RFC 9112, section 3.2.2: a target may be a whole address.
  const whole = { ...headers, host: "other.test" };
  const at_address = request({ host: "127.0.0.1", port, path: "http://letters.test/a?b", headers: whole });
  expect((await readAnswer(at_address)).seen).toMatchObject({ path: "/a?b", headers: { host: "letters.test" } });
  const plain = request({
    host: "127.0.0.1",
    port,
    path: "http://letters.test/a",
    headers: { ...whole, "x-forwarded-proto": "http" },
  });
  const [redirected] = (await once(plain.end(), "response")) as [IncomingMessage];
  expect([redirected.statusCode, redirected.headers.location]).toEqual([308, "https://letters.test/a"]);
  redirected.resume();
  for (const [path, status] of [
    ["http://other.test/", 421],
    ["ftp://letters.test/", 400],
  ] as const) {
    const [refusal] = (await once(request({ host: "127.0.0.1", port, path, headers }).end(), "response")) as [
      IncomingMessage,
    ];
    expect([path, refusal.resume().statusCode]).toEqual([path, status]);
  }

  // A proxy of HTTP/1.0 takes a closed connection for the end of the answer.
  const proxy = connect(port, "127.0.0.1");
  proxy.write(
    "GET /half HTTP/1.0\r\nhost: letters.test\r\nx-forwarded-for: 203.0.113.9\r\nx-forwarded-proto: https\r\n\r\n",
  );
  const how = new Promise((done) => proxy.on("error", ({ message }) => done(message)).on("end", () => done("end")));
  expect(await how).toBe("read ECONNRESET");
  await front.stop();
});

test("a reload takes a renewed certificate, and keeps the old one when a start would refuse the new one", async () => {
  const place = mkdtempSync(join(tmpdir(), "ofuse-tls-"));
  const files = { certificate_file: join(place, "certificate.pem"), key_file: join(place, "key.pem") };
  const port = await freePort();
  const told = vi.spyOn(console, "error").mockReturnValue();
  writeCertificate("letters.test", files);
  const entrance = { kind: "tls", ...files } as const;
  const front = await startFront(
    { origin: `https://letters.test:${port}`, port, entrance },
    { port: edgePort(), key: "key" },
  );
  const shown = async () => {
    const socket = connectOverTls({ host: "127.0.0.1", port, servername: "letters.test", rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };
  const first = await shown();
  const refused = [() => writeCertificate("other.test", files), () => rmSync(files.key_file)];
  for (const [index, spoil] of refused.entries()) {
    spoil();
    process.emit("SIGUSR2");
    expect([await shown(), told.mock.calls.length]).toEqual([first, index + 1]);
  }
  expect(told.mock.calls[0]?.[0]).toContain("certificate.pem is not for letters.test");
  writeCertificate("letters.test", files);
  process.emit("SIGUSR2");
  expect(await shown()).toBe(new X509Certificate(readFileSync(files.certificate_file)).fingerprint256);
  expect([(await shown()) === first, told.mock.calls.length]).toEqual([false, 2]);
  told.mockRestore();
  await front.stop();
  rmSync(place, { recursive: true });
});

test("on its own TLS port nothing that a client says of itself counts", async () => {
  const port = await freePort();
  const folder = join(import.meta.dirname, "../mails");
  const files = { certificate_file: join(folder, "certificate.pem"), key_file: join(folder, "key.pem") };
  const origin = `https://localhost:${port}`;
  const front = await startFront(
    { origin, port, entrance: { kind: "tls", ...files } },
    { port: edgePort(), key: "key" },
  );
  const headers = { ...forged, "x-forwarded-for": "203.0.113.9" };
  const { seen } = await readAnswer(requestOverTls(`${origin}/`, { headers, rejectUnauthorized: false }));
  expect(addressesIn(seen.headers)).toEqual([
    ["cf-connecting-ip", expect.stringMatching(/^(127\.0\.0\.1|::1)$/)],
    ["x-front-key", "key"],
  ]);
  await front.stop();
});
