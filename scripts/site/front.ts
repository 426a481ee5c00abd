/**
 * The entrance of a site on one machine: takes the connections of the reverse proxy, or of browsers on a TLS port, and
 * passes each request to the edge with the client's address. workerd does not tell a worker who has connected, so the edge
 * cannot do this itself (docs/decisions/0052).
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { log } from "../../workers/kernel/log.ts";
import { acceptTarget, breakOff, UNACCEPTABLE } from "../front.ts";
import { HOST } from "../local-vars.ts";
import { Refusal } from "../refusal.ts";
import { originOf } from "./client-address.ts";
import { certificateFaults, type SiteSettings } from "./settings.ts";

/** The header by which the edge knows the front. Other programs of this machine may reach the edge's port. */
const FRONT_KEY_HEADER = "x-front-key";

export const newFrontKey = (): string => randomBytes(32).toString("base64url");

/** The headers that only the front or the edge writes, and those that concern one connection (RFC 9110, section 7.6.1). */
const OWN = /^(?:cf-|mf-|x-forwarded-|x-front-key$|x-real-ip$|forwarded$)/;
const ONE_HOP = /^(?:connection$|keep-alive$|proxy-|te$|trailer$|upgrade$|expect$)/;

/** Longer than reverse proxies keep their idle connections: nginx a minute, Caddy two. */
const KEEP_ALIVE_MS = 150_000;
/** An idle connection to the edge is closed before workerd closes it, after 5 s: a request on its way would be lost. */
const EDGE_IDLE_MS = 3_000;
/** A film of 200 MB over a slow line. */
const REQUEST_MS = 60 * 60_000;

type Settings = Pick<SiteSettings, "origin" | "port" | "entrance">;

interface Edge {
  port: number;
  key: string;
}

interface Front {
  stop(): Promise<void>;
}

/** Returns the headers for the edge. `hop` are those of the new connection. */
function headersFor(asked: IncomingMessage, address: string, edge: Edge, hop: Record<string, string>): string[] {
  const headers: string[] = [];
  for (let at = 0; at < asked.rawHeaders.length; at += 2) {
    const [name = "", value = ""] = asked.rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (!OWN.test(lower) && !ONE_HOP.test(lower)) headers.push(name, value);
  }
  headers.push("cf-connecting-ip", address, FRONT_KEY_HEADER, edge.key);
  return [...headers, ...Object.entries(hop).flat()];
}

/** Returns the headers of an answer without those of the connection to the edge, and without those that match `left_out`. */
function answerHeaders(answer: IncomingMessage, left_out = /^$/): string[] {
  return answer.rawHeaders.filter((_, at, all) => {
    const name = (all[at - (at % 2)] ?? "").toLowerCase();
    return !ONE_HOP.test(name) && !left_out.test(name);
  });
}

const REFUSALS = {
  400: UNACCEPTABLE,
  421: "このアドレスのサイトは、ここにはありません。",
  502: "ただいま表示できません。少し時間をおいてから、ページを読み直してください。",
} as const;

function refuse(response: ServerResponse, status: keyof typeof REFUSALS): void {
  if (response.headersSent) {
    breakOff(response.socket);
    return;
  }
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    ...(status === 502 && { "retry-after": "5" }),
    connection: "close",
  });
  response.end(`${REFUSALS[status]}\n`);
}

/** Starts the front. Throws a Refusal when the port cannot be used. */
export async function startFront({ origin, port, entrance }: Settings, edge: Edge): Promise<Front> {
  const { host, hostname } = new URL(origin);
  const agent = new Agent({ keepAlive: true, timeout: EDGE_IDLE_MS });
  const trusted = entrance.kind === "proxy" ? entrance.trusted : [];

  /** Returns the client's address; or the status of a refusal, or the address to redirect to. */
  function admit(asked: IncomingMessage): { address: string } | { refusal: 400 | 421 } | { location: string } {
    const { "x-forwarded-for": forwarded_for, "x-forwarded-proto": forwarded_proto } = asked.headers;
    const textOf = (header: string | string[] | undefined) => (Array.isArray(header) ? header.join(",") : header);
    const peer = asked.socket.remoteAddress ?? "";
    const forwarded = { forwarded_for: textOf(forwarded_for), forwarded_proto: textOf(forwarded_proto) };
    const { address, is_https } = originOf(peer, forwarded, trusted);
    if (!acceptTarget(asked)) return { refusal: 400 };
    if (asked.headers.host?.toLowerCase() !== host) return { refusal: 421 };
    if (entrance.kind === "proxy" && !is_https) return { location: `${origin}${asked.url}` };
    return { address };
  }

  const connect = (asked: IncomingMessage, address: string, hop: Record<string, string>) =>
    request({
      host: HOST,
      port: edge.port,
      method: asked.method,
      path: asked.url,
      headers: headersFor(asked, address, edge, hop),
      agent: hop.upgrade ? false : agent,
    });

  const answer = (asked: IncomingMessage, response: ServerResponse): void => {
    const admitted = admit(asked);
    if ("refusal" in admitted) {
      refuse(response, admitted.refusal);
      return;
    }
    if ("location" in admitted) {
      response.writeHead(308, { location: admitted.location, "cache-control": "no-store" }).end();
      return;
    }
    const passed = connect(asked, admitted.address, {});
    passed.on("response", (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.statusMessage, answerHeaders(answered));
      answered.on("error", () => breakOff(response.socket)).pipe(response);
    });
    passed.on("error", () => refuse(response, 502));
    response.on("close", () => {
      if (!response.writableFinished) passed.destroy();
    });
    // Not a pipeline, which would close the client's connection before the refusal.
    asked.pipe(passed);
  };

  /** Joins a WebSocket to the edge. */
  const upgrade = (asked: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const admitted = admit(asked);
    socket.on("error", () => socket.destroy());
    if (!("address" in admitted)) {
      const status = "refusal" in admitted ? admitted.refusal : 421;
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const passed = connect(asked, admitted.address, { connection: "Upgrade", upgrade: asked.headers.upgrade ?? "" });
    const headOf = (answered: IncomingMessage, headers: readonly string[]) => {
      const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
      return `HTTP/1.1 ${answered.statusCode} ${answered.statusMessage}\r\n${lines.join("\r\n")}\r\n\r\n`;
    };
    passed.on("upgrade", (answered: IncomingMessage, edge_socket: Socket, edge_head: Buffer) => {
      socket.write(headOf(answered, answered.rawHeaders));
      socket.write(edge_head);
      edge_socket.write(head);
      socket.pipe(edge_socket).pipe(socket);
      edge_socket.on("error", () => socket.destroy()).on("close", () => socket.destroy());
      socket.on("close", () => edge_socket.destroy());
    });
    passed.on("response", (answered) => {
      // The body has been put together, and ends with the connection.
      socket.write(headOf(answered, [...answerHeaders(answered, /^transfer-encoding$/), "Connection", "close"]));
      answered.on("error", () => breakOff(socket)).pipe(socket);
    });
    passed.on("error", () => socket.destroy());
    socket.on("close", () => passed.destroy());
    passed.end();
  };

  const limits = { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_MS };
  const server =
    entrance.kind === "tls" ? createTlsServer({ ...readCertificate(entrance), ...limits }) : createServer(limits);
  server.on("request", answer).on("upgrade", upgrade);
  // After a renewal: `systemctl reload`, or kill -USR2 (Miniflare ends the process on SIGHUP). Files that a start refuses
  // leave the old certificate.
  const reload = () => {
    if (entrance.kind !== "tls" || !("setSecureContext" in server)) return;
    try {
      const faults = certificateFaults(entrance, hostname);
      if (faults.length > 0) throw new Refusal(faults.join("; "));
      server.setSecureContext(readCertificate(entrance));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log("error", { message: "the certificate was not read again", reason });
    }
  };
  process.on("SIGUSR2", reload);
  await new Promise<void>((done, failed) => {
    server
      .once("error", (error: NodeJS.ErrnoException) => {
        const why = error.code === "EADDRINUSE" ? "is in use" : `cannot be used (${error.message})`;
        failed(new Refusal(`Port ${port} ${why}. Stop what listens there, or change PORT in settings.env.`));
      })
      .listen(port, entrance.kind === "proxy" ? HOST : undefined, done);
  });
  return {
    async stop() {
      process.off("SIGUSR2", reload);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function readCertificate({ certificate_file, key_file }: { certificate_file: string; key_file: string }) {
  return { cert: readFileSync(certificate_file), key: readFileSync(key_file) };
}
