/**
 * The site's own socket on one machine. It passes every request on to workerd, which listens on another port.
 *
 * workerd closes a connection after five idle seconds, and no setting of it changes that. A proxy that sends the next
 * request at this moment gets no answer: a form is lost, and nginx answers 502. This socket keeps its connections longer
 * than its clients do, and answers while workerd is away. docs/decisions/0054 has the measurements.
 */
import { once } from "node:events";
import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse,
} from "node:http";
import { connect, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { newId } from "../workers/kernel/ids.ts";
import { log } from "../workers/kernel/log.ts";
import { HOST } from "./local-vars.ts";
import { answerOutage, RETRY_AFTER_S } from "./outage-answer.ts";

export interface Front {
  /** How many answers workerd has given: while it grows, workerd is alive. */
  answered(): number;
  close(): Promise<void>;
}

/** Longer than nginx keeps a connection (60 s), so that the client is the one who closes it. */
const KEPT_MS = 75_000;
/** Far shorter than workerd's five seconds: even a busy workerd has not closed such a connection yet. */
const REUSED_WITHIN_MS = 1000;
/** A large upload over a slow line takes this long. */
const UPLOAD_MS = 20 * 60_000;
/** A body up to this size is read before workerd gets the request. It is at hand when the answer fails. */
const READ_AHEAD_BYTES = 1024 * 1024;
/** As workerd takes them. */
const HEADER_BYTES = 64 * 1024;

/** Headers about one connection, not about the message. Source: RFC 9110, section 7.6.1. */
const OF_CONNECTION = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Returns the raw headers, as Node lists them, without those of the connection. */
function endToEnd(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const [name = "", value = ""] = [raw[index], raw[index + 1]];
    if (!OF_CONNECTION.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

/** The answer to a client that sends no acceptable request. */
export const UNACCEPTABLE = "このリクエストは受け取れません。";

/**
 * Whether a request has at most one Host, with the form of a host. workerd fails at any other, and the next server may
 * believe another one of two. Source: RFC 9112, section 3.2.
 */
function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "host");
  return hosts.length < 2 && hosts.every((host) => !/[\s/\\?#@]/.test(host) && URL.canParse(`http://${host}`));
}

/** A request's target that is a whole address, as a client sends it to a proxy. */
const WHOLE_ADDRESS = /^https?:\/\/[^/\\?#@]+(?:[/?][^#]*)?$/i;

/**
 * Whether a request has a target and a host that workerd takes. Changes a whole address to its path, and the request's Host
 * to that of the address. Source: RFC 9112, section 3.2.2.
 */
export function acceptTarget(request: IncomingMessage): boolean {
  if (!hasOneHost(request)) return false;
  const { url = "", headers, rawHeaders } = request;
  if (url.startsWith("/")) return true;
  const address = WHOLE_ADDRESS.test(url) ? URL.parse(url) : null;
  if (!address) return false;
  const { host, pathname, search } = address;
  request.url = pathname + search;
  headers.host = host;
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  if (at === -1) rawHeaders.push("Host", host);
  else rawHeaders[at + 1] = host;
  return true;
}

/** Opens the site's socket on `port`. workerd listens on `inner_port`, now or later. Rejects when the port is taken. */
export async function openFront(port: number, inner_port: number): Promise<Front> {
  const kept_connections = new Agent({ keepAlive: true, timeout: REUSED_WITHIN_MS });
  const tunnels = new Set<Socket>();
  let answers = 0;

  /**
   * Sends a request on. A request that changes something gets its own connection, so that no closing connection can lose it.
   * A read goes over a kept connection, and is sent again when that connection had just been closed.
   */
  function pass(request: IncomingMessage, response: ServerResponse, body: Buffer | "none" | "streams", is_new = false) {
    const headers = endToEnd(request.rawHeaders);
    if (body === "streams" && request.headers["transfer-encoding"]) headers.push("transfer-encoding", "chunked");
    const is_kept = body === "none" && (request.method === "GET" || request.method === "HEAD") && !is_new;
    const asked = openRequest({
      host: HOST,
      port: inner_port,
      method: request.method,
      path: request.url,
      headers,
      agent: is_kept ? kept_connections : false,
    });
    const refuse = (error: Error) => {
      if (!response.destroyed) answerWithoutWorkerd(request, response, Buffer.isBuffer(body) ? body : null, error);
    };
    let has_answer = false;
    asked.on("response", (answer) => {
      has_answer = true;
      answers += 1;
      passBack(answer, response, refuse);
    });
    asked.on("error", (error) => {
      // An answer that has begun ends by itself, whatever becomes of the request's body.
      if (has_answer) return;
      if (is_kept && asked.reusedSocket && !response.destroyed) pass(request, response, body, true);
      else refuse(error);
    });
    endWithClient(asked, response);
    if (body === "streams") request.pipe(asked);
    else asked.end(body === "none" ? undefined : body);
  }

  const server = createServer(
    {
      keepAliveTimeout: KEPT_MS,
      requestTimeout: UPLOAD_MS,
      maxHeaderSize: HEADER_BYTES,
    },
    (request, response) => {
      if (!acceptTarget(request)) {
        const headers = {
          "content-type": "text/plain; charset=utf-8",
          "cache-control": "no-store",
          connection: "close",
        };
        response.writeHead(400, headers).end(`${UNACCEPTABLE}\n`);
        return;
      }
      const length = Number(request.headers["content-length"] ?? 0);
      if (request.headers["transfer-encoding"] || length > READ_AHEAD_BYTES) pass(request, response, "streams");
      else if (length === 0) pass(request, response, "none");
      // A client that gives up while it sends has asked for nothing.
      else {
        readBody(request).then(
          (body) => pass(request, response, body),
          () => response.destroy(),
        );
      }
    },
  );
  // After a handshake the connection is the socket's alone, so nothing of it is read here.
  server.on("upgrade", (request: IncomingMessage, near: Socket, head: Buffer) => {
    if (!acceptTarget(request)) {
      near.on("error", () => near.destroy());
      near.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    const far = connect(inner_port, HOST);
    const lines = [`${request.method} ${request.url} HTTP/1.1`];
    for (let index = 0; index < request.rawHeaders.length; index += 2) {
      lines.push(`${request.rawHeaders[index]}: ${request.rawHeaders[index + 1]}`);
    }
    far.write(`${lines.join("\r\n")}\r\n\r\n`);
    far.write(head);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      tunnels.add(one);
      one.pipe(other);
      one.on("error", () => (far.bytesRead === 0 ? near.end(REFUSED_HANDSHAKE) : other.destroy()));
      one.on("close", () => {
        tunnels.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(port, HOST);
  await once(server, "listening");
  return {
    answered: () => answers,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      for (const socket of tunnels) socket.destroy();
      kept_connections.destroy();
      await closed;
    },
  };
}

const REFUSED_HANDSHAKE = `HTTP/1.1 503 Service Unavailable\r\nretry-after: ${RETRY_AFTER_S}\r\nconnection: close\r\n\r\n`;

function answerWithoutWorkerd(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer | null,
  error: Error,
): void {
  const request_id = newId(Date.now());
  log("error", { message: "workerd did not answer", request_id, method: request.method, error: error.message });
  answerOutage(request, response, body, request_id).catch(() => response.destroy());
}

/** How long the head of an answer waits for its first bytes. An event stream may have none for long. */
const HEAD_MS = 50;

/**
 * Passes an answer back as it arrives. When it breaks off before its first bytes, `refuse` answers in its place. When it
 * breaks off later, it breaks off for the client too.
 */
function passBack(answer: IncomingMessage, response: ServerResponse, refuse: (error: Error) => void): void {
  const begin = (): void => {
    clearTimeout(timer);
    if (!response.headersSent) {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
    }
  };
  const timer = setTimeout(() => {
    begin();
    response.flushHeaders();
  }, HEAD_MS);
  answer.once("data", begin).once("end", begin);
  answer.on("error", (error) => {
    clearTimeout(timer);
    if (response.headersSent) breakOff(response.socket);
    else refuse(error);
  });
  answer.pipe(response);
}

/**
 * Ends a connection in the middle of an answer so that the part never looks like the whole. To a client of HTTP/1.0, such as
 * nginx by default, a closed connection is the end of an answer without a length, and it would cache the part: so the
 * connection is reset. A TLS connection cannot be reset. It ends without TLS's own notice of the end.
 */
export function breakOff(socket: Duplex | null): void {
  if (socket instanceof Socket && !(socket instanceof TLSSocket)) socket.resetAndDestroy();
  else socket?.destroy();
}

/** Gives a request up when its client is gone. */
function endWithClient(asked: ClientRequest, response: ServerResponse): void {
  response.on("close", () => {
    if (!response.writableFinished) asked.destroy();
  });
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
