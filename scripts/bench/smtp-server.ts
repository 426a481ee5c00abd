/** An SMTP server on loopback that wants STARTTLS and a password, takes every mail, and remembers what it acknowledged. */
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { HOST } from "../local-vars.ts";

const tests = join(import.meta.dirname, "../../tests/mails");

/** The authority of the server's certificate, for NODE_EXTRA_CA_CERTS. */
export const CERTIFICATE = join(tests, "certificate.pem");
export const CREDENTIALS = { user: "mailer", password: "bench-mailer-2026" };

/** A mail that the server has acknowledged with 250. */
interface Acknowledged {
  /** The address that got the mail. `copies` counts how often. */
  recipient: string;
  copies: number;
}

export interface CountingServer {
  port: number;
  acknowledged: Map<string, Acknowledged>;
  /** When each mail was acknowledged, in milliseconds. */
  times_ms: number[];
  /** The time from each acknowledgement to the next mail of the same connection: the client's own work. */
  pauses_ms: number[];
  connections(): number;
  /** Forgets everything, before the next measurement. */
  forget(): void;
  stop(): Promise<void>;
}

export async function startCountingServer(): Promise<CountingServer> {
  const acknowledged: CountingServer["acknowledged"] = new Map();
  const times_ms: number[] = [];
  const pauses_ms: number[] = [];
  const last_of_session = new Map<string, number>();
  let connections = 0;
  const server = new SMTPServer({
    key: readFileSync(join(tests, "key.pem")),
    cert: readFileSync(CERTIFICATE),
    disableReverseLookup: true,
    logger: false,
    onAuth({ username, password }, session, done) {
      if (!session.secure || password !== CREDENTIALS.password) return done(new Error("535 5.7.8 wrong"));
      connections += 1;
      done(null, { user: username });
    },
    onMailFrom(_address, { id }, done) {
      const last_ms = last_of_session.get(id);
      if (last_ms !== undefined) pauses_ms.push(performance.now() - last_ms);
      done();
    },
    onData(stream, session, done) {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      stream.on("end", () => {
        const [, message_id = ""] = /^Message-ID:\s+(\S+)/im.exec(Buffer.concat(pieces).toString("latin1")) ?? [];
        // The answer begins a new envelope.
        const recipient = session.envelope.rcptTo[0]?.address ?? "";
        done(null);
        const copies = (acknowledged.get(message_id)?.copies ?? 0) + 1;
        acknowledged.set(message_id, { recipient, copies });
        times_ms.push(performance.now());
        last_of_session.set(session.id, performance.now());
      });
    },
    onClose: ({ id }) => void last_of_session.delete(id),
  });
  // A killed client is no error of the server.
  server.on("error", () => {});
  await new Promise<void>((done) => server.listen(0, HOST, () => done()));
  return {
    port: (server.server.address() as AddressInfo).port,
    acknowledged,
    times_ms,
    pauses_ms,
    connections: () => connections,
    forget() {
      acknowledged.clear();
      times_ms.length = 0;
      pauses_ms.length = 0;
      connections = 0;
    },
    stop: () => new Promise((done) => server.close(() => done())),
  };
}
