import { readdirSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach } from "vitest";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import { demoSite } from "../../scripts/demo-site.ts";
import { fireClock, insideWorker } from "../../scripts/inside.ts";
import { openSql, sqlWorker } from "../../scripts/sql.ts";
import type { Block } from "../../workers/contract/document.ts";
import type { HandedMail, NewsletterMail } from "../../workers/contract/mails.ts";
import { printErrors, printRestart } from "../support/logs.ts";

/** The mails worker as deployed, in workerd, and a real SMTP server on loopback. */

const worker = new URL("../../workers/mails/", import.meta.url).pathname;
const here = new URL("./", import.meta.url).pathname;
const HOST = "127.0.0.1";
/** The worker trusts it: vitest.config.ts names it in NODE_EXTRA_CA_CERTS. */
const trusted = {
  key: readFileSync(join(here, "key.pem"), "utf8"),
  cert: readFileSync(join(here, "certificate.pem"), "utf8"),
};

const bindings = {
  ENVIRONMENT: "local",
  PROJECT_ID: "ofuse-site",
  SITE_ORIGIN: "http://localhost:8788",
  SITE: JSON.stringify(demoSite),
  MAIL_END: "smtp",
  MAIL_FROM: "no-reply@ofuse.example",
  MAIL_FROM_NAME: "ofuse（オフューズ）",
  MAILS_PER_SECOND: "1000",
  SMTP_HOST: HOST,
  SMTP_PORT: "587",
  SMTP_USER: "mailer",
  SMTP_PASSWORD: "ひみつ-2026",
  SMTP_TLS: "starttls",
  RESEND_API_KEY: "",
  RESEND_WEBHOOK_SECRET: "",
};

const PATIENCE = "ANSWER_MS = 30_000";

/** Changes the time that the worker waits for a silent server. */
const patienceOf = (answer_ms: number): Plugin => ({
  name: "patience",
  setup({ onLoad }) {
    onLoad({ filter: /\/transports\/smtp\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      if (!source.includes(PATIENCE)) throw new Error(`${path} waits another time than ${PATIENCE}`);
      return { contents: source.replace(PATIENCE, `ANSWER_MS = ${answer_ms}`), loader: "ts" };
    });
  },
});

const bundles = new Map<number, Promise<string>>();
async function bundleWorker(answer_ms: number): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(worker, "index.ts")],
    bundle: true,
    write: false,
    plugins: [patienceOf(answer_ms)],
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "import"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

export interface RunningMails {
  /** Hands mails over, as the other workers do. */
  handOver(...mails: HandedMail[]): Promise<number>;
  runScheduled(): Promise<void>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Runs a statement on the worker's database. */
  run<Row>(sql: string, ...values: unknown[]): Promise<Row[]>;
  /** Ends the worker at once, as a kill does. */
  kill(): Promise<void>;
}

/**
 * @param folder where the database is; a worker started on it again finds the same mails.
 * @param outside answers the worker's requests to the internet.
 * @param logs gets each line that the worker logs.
 * @param answer_ms how long the worker waits for a silent server: as in production, unless the test's server is silent.
 */
export async function startMails(
  overrides: Partial<typeof bindings>,
  {
    folder,
    outside,
    answer_ms = 30_000,
    logs,
  }: {
    folder?: string;
    outside?: (request: Request) => Promise<Response>;
    answer_ms?: number;
    logs?: string[];
  } = {},
): Promise<RunningMails> {
  const bundle = bundles.get(answer_ms) ?? bundleWorker(answer_ms);
  bundles.set(answer_ms, bundle);
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      handleStructuredLogs: (line) => {
        printErrors(line);
        logs?.push(line.message);
      },
      ...(folder !== undefined && { resourcePersistencePath: folder }),
      workers: [
        {
          name: "mails",
          modules: true,
          script: await bundle,
          compatibilityDate: "2026-10-01",
          compatibilityFlags: ["nodejs_compat"],
          d1Databases: { DB: "mails" },
          bindings: { ...bindings, ...overrides },
          ...(outside && { outboundService: outside as never }),
        },
        sqlWorker({ mails: "mails" }),
        insideWorker(["mails"]),
      ],
    }),
    unsafeHandleRuntimeRestart: printRestart,
  });
  const database = openSql(miniflare, "mails");
  const is_new =
    (await database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'mails'").all()).results.length === 0;
  const folderOfMigrations = join(worker, "storage/migrations");
  const statements = readdirSync(folderOfMigrations)
    .sort()
    .flatMap((file) => splitSqlQuery(readFileSync(join(folderOfMigrations, file), "utf8")));
  if (is_new) await database.batch(statements.map((statement) => database.prepare(statement)));
  return {
    async handOver(...mails) {
      const body = JSON.stringify({ mails });
      return (await miniflare.dispatchFetch("http://mails.internal/mails", { method: "POST", body })).status;
    },
    async runScheduled() {
      const outcome = await fireClock(miniflare, "mails");
      if (outcome !== "ok") throw new Error(`the scheduled run ended with ${outcome}`);
    },
    fetch: async (path, init) =>
      (await miniflare.dispatchFetch(`http://mails.internal${path}`, init as never)) as unknown as Response,
    run: async <Row>(sql: string, ...values: unknown[]) =>
      (
        await database
          .prepare(sql)
          .bind(...values)
          .all()
      ).results as Row[],
    kill: () => miniflare.dispose(),
  };
}

/** One mail as the server got it. */
export interface Received {
  is_secure: boolean;
  user: string | undefined;
  to: string[];
  raw: string;
  mail: Email;
}

export interface RunningServer {
  port: number;
  received: Received[];
  stop(): Promise<void>;
}

/** Starts an SMTP server. `onMail` decides about a mail that arrived whole: an error refuses it. */
export async function startServer(
  options: SMTPServerOptions = {},
  onMail: (received: Received, drop: () => void) => Error | null = () => null,
): Promise<RunningServer> {
  const received: Received[] = [];
  const sockets = new Set<{ destroy(): void }>();
  const server = new SMTPServer({
    ...trusted,
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      password === bindings.SMTP_PASSWORD ? done(null, { user: username }) : done(new Error("535 5.7.8 wrong")),
    onData(stream, session, done) {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      stream.on("end", async () => {
        const raw = Buffer.concat(pieces).toString("latin1");
        const mail = await PostalMime.parse(Buffer.concat(pieces));
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const one = { is_secure: session.secure, user: session.user as string | undefined, to, raw, mail };
        const drop = () => {
          for (const socket of sockets) socket.destroy();
        };
        const refusal = onMail(one, drop);
        if (!refusal) received.push(one);
        done(refusal);
      });
    },
    ...options,
  });
  // A worker that is killed, or refuses the certificate, is no error of the server.
  server.on("error", () => {});
  server.server.on("connection", (socket) => sockets.add(socket));
  const port = await new Promise<number>((resolve) => {
    server.listen(0, HOST, () => resolve((server.server.address() as AddressInfo).port));
  });
  return { port, received, stop: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Starts servers and workers for the tests of a file, and ends them after each test. */
export function mailsForTests() {
  const workers: RunningMails[] = [];
  const servers: RunningServer[] = [];
  const killWorker = async (worker: RunningMails) => {
    workers.splice(workers.indexOf(worker), 1);
    await worker.kill();
  };
  afterEach(async () => {
    await Promise.all(workers.map(killWorker));
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });
  return {
    killWorker,
    async serve(...args: Parameters<typeof startServer>): Promise<RunningServer> {
      const server = await startServer(...args);
      servers.push(server);
      return server;
    },
    /** Starts a worker that sends to the server, on a folder of its own or a given one. */
    async startFor(
      { port }: RunningServer,
      overrides: Parameters<typeof startMails>[0] = {},
      options: { folder?: string; answer_ms?: number } = {},
    ): Promise<RunningMails> {
      const worker = await startMails({ SMTP_PORT: String(port), ...overrides }, options);
      workers.push(worker);
      return worker;
    },
  };
}

let count = 0;

/** Returns a mail with a link. */
export function signInMail(recipient: string, mail_id = `test:${++count}`): HandedMail {
  return {
    mail_id,
    kind: "sign_in_link",
    recipient,
    gaps: { link: `http://localhost:8788/signup/action?oobCode=${mail_id}` },
  };
}

/** Returns a receipt. */
export function receiptMail(recipient: string, title = "なつめさんへのofuse", mail_id = `test:${++count}`): HandedMail {
  const receipt_link = "http://localhost:8788/checkout/01m7zvhtjmkdshhcvbmqvkbzqe";
  return {
    mail_id,
    kind: "payment_receipt",
    recipient,
    gaps: { title, amount: 1100, paid_at: "2026-11-22T15:30:00.000Z", receipt_link },
  };
}

export const CONTENT_ID = "01kag0w2x4y6z8a1b3c5d7e9fg";
export const paragraph = (text: string): Block => ({ type: "paragraph", content: [{ type: "text", text }] });
/** Returns a newsletter to these recipients. */
export const newsletterTo = (
  recipients: readonly string[],
  document: Block[] = [paragraph("こんにちは。")],
  pictures: NewsletterMail["pictures"] = [],
): NewsletterMail => ({
  content_id: CONTENT_ID,
  title: "窓辺だより",
  creator_name: "なつめ",
  document,
  pictures,
  page_link: "https://ofuse.example/my/news_letters/1",
  receivers: recipients.map((recipient) => ({
    mail_id: `newsletter:1:${recipient.replace(/\W/g, "-")}`,
    recipient,
    stop_link: `https://ofuse.example/unsubscribe/${recipient.split("@")[0]}`,
  })),
});
