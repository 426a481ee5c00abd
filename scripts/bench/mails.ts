/**
 * `npm run bench:mails`: sends a newsletter to MAIL_RECEIVERS (100,000) receivers through the runner, real workerd and a local SMTP
 * server with STARTTLS and a password. Then it sends another one, and kills the runner or workerd MAIL_KILLS (6) times meanwhile.
 * Fails when a receiver got nothing, when more mails came twice than there were kills, when memory grew, or the pace was not kept.
 */
import type { ChildProcess } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { composeMail } from "../../workers/mails/transports/smtp.ts";
import { newsletterWords } from "../../workers/mails/words/newsletter.ts";
import { renderMail } from "../../workers/mails/words/render.ts";
import { buildIfStale } from "../build.ts";
import { storageFile } from "../data-folder.ts";
import { demoSite } from "../demo-site.ts";
import {
  bringBack,
  data_dir,
  environment,
  killWorkerds,
  listWorkerds,
  startRunner,
  stopRunner,
} from "../faults/site.ts";
import { HOST } from "../local-vars.ts";
import { reportStep } from "../steps.ts";
import { numbersSql } from "./draw.ts";
import { atLeast, atMost, medianOf, timeAtShare } from "./figures.ts";
import { CERTIFICATE, CREDENTIALS, startCountingServer } from "./smtp-server.ts";
import { paragraphs } from "./words.ts";

const RECEIVERS = Number(process.env.MAIL_RECEIVERS || 100_000);
const KILLS = Number(process.env.MAIL_KILLS || 6);
/** The receivers of the newsletter with the kills, and its pace: a minute and a half, so that a kill finds it under way. */
const KILLED_RECEIVERS = Math.min(RECEIVERS, 4_500);
const KILLED_PACE = 50;
/** The site's highest pace: the newsletter without kills is not held back. */
const FREE_PACE = 1000;
const BARE_MAILS = Math.min(RECEIVERS, 3_000);
/** A hundredth of the receivers has stopped the creator's newsletters, and another hundredth has complained. */
const ONE_IN = 100;
/** The allowed growth of memory in the second half of the mails. In the first, V8's heaps and SQLite's caches fill up. */
const MAY_GROW_MB = 50;
const FROM = "no-reply@bench.example";
const BODY = paragraphs.slice(0, 6).join("\n\n");
const TITLE = "窓辺だより";

const idOf = (kind: string, number: number) => `01bench${kind}${String(number).padStart(18, "0")}`;
const emailOf = (receiver: number) => `fan${receiver}@bench.example`;
const hashOf = (email: string) => createHash("sha256").update(email).digest("hex");

function open(name: "api" | "mails"): DatabaseSync {
  return new DatabaseSync(storageFile(data_dir, name), { timeout: 60_000 });
}

/** Writes the creator of a newsletter, followers, and the newsletter: it is due when the site starts. */
function addNewsletter(creator: number, receivers: number): void {
  const now = new Date().toISOString();
  const api = open("api");
  const creator_id = idOf("c", creator);
  api.exec(`BEGIN;
    INSERT INTO users (user_id, identity_id, link_id, name, is_creator, created_at)
      VALUES ('${creator_id}', '${creator_id}', 'bench_creator_${creator}', 'なつめ', 1, '${now}');
    INSERT OR IGNORE INTO users (user_id, identity_id, link_id, name, email, created_at)
      WITH RECURSIVE ${numbersSql(0, receivers)}
      SELECT printf('01benchf%018d', n), printf('bench%021d', n), 'bench_fan_' || n, 'ファン', 'fan' || n || '@bench.example', '${now}'
      FROM numbers;
    INSERT INTO relationships (follower_id, following_id, created_at)
      WITH RECURSIVE ${numbersSql(0, receivers)}
      SELECT printf('01benchf%018d', n), '${creator_id}', strftime('%Y-%m-%dT%H:%M:%fZ', '2024-01-01', n || ' minutes') FROM numbers;
    INSERT INTO newsletter_stops (user_id, creator_user_id, stopped_at)
      SELECT follower_id, following_id, '${now}' FROM relationships
      WHERE following_id = '${creator_id}' AND CAST(substr(follower_id, 9) AS INTEGER) % ${ONE_IN} = 1;`);
  const insert = api.prepare(`INSERT INTO newsletters
    (newsletter_id, user_id, title, body, fan_scope, status, publish_at, created_at, updated_at)
    VALUES (?, ?, ?, ?, 'fans', 'scheduled', ?, ?, ?)`);
  insert.run(idOf("n", creator), creator_id, TITLE, BODY, now, now, now);
  api.exec("COMMIT");
  api.close();
}

/** Suppresses the receivers who have complained. */
function addComplaints(): void {
  const mails = open("mails");
  const insert = mails.prepare("INSERT INTO suppressions (recipient_hash, reason, since) VALUES (?, 'complaint', '')");
  mails.exec("BEGIN");
  for (let receiver = 2; receiver < RECEIVERS; receiver += ONE_IN) insert.run(hashOf(emailOf(receiver)));
  mails.exec("COMMIT");
  mails.close();
}

/** Whether a receiver gets newsletters: neither stopped them nor complained. */
const isReached = (receiver: number) => ![1, 2].includes(receiver % ONE_IN);
const listReached = (receivers: number) => Array.from({ length: receivers }, (_, n) => n).filter(isReached);

/** Returns the resident memory of workerd in MB, from Linux's /proc. */
function memoryOfWorkerd(): number {
  const [, kb = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${listWorkerds()[0]}/status`, "utf8")) ?? [];
  return Math.round(Number(kb) / 1024);
}

/** Waits until the API has handed everything over and no mail is left to send. */
async function waitUntilSent(creator: number): Promise<void> {
  const [api, mails] = [open("api"), open("mails")];
  const handing = api.prepare(`SELECT
    (SELECT COUNT(*) FROM newsletters WHERE newsletter_id = ? AND status = 'scheduled')
    + (SELECT COUNT(*) FROM outbox WHERE kind = 'newsletter_mailed' AND processed_at IS NULL) AS n`);
  const waiting = mails.prepare("SELECT COUNT(*) AS n FROM mails WHERE state IN ('queued', 'sending')");
  const isLeft = () => Number(handing.get(idOf("n", creator))?.n) + Number(waiting.get()?.n) > 0;
  while (isLeft()) await sleep(500);
  api.close();
  mails.close();
}

/** Returns how long mails waited from their hand-over to the record of their acknowledgement. */
function waitsOf(creator: number): number[] {
  const mails = open("mails");
  const rows = mails
    .prepare(
      `SELECT (julianday(ended_at) - julianday(created_at)) * 86400000 AS ms FROM mails
         WHERE content_id = ? AND state = 'sent' ORDER BY ms`,
    )
    .all(idOf("n", creator));
  mails.close();
  return rows.map(({ ms }) => Number(ms));
}

/** Compares what the server acknowledged with the receivers. */
function findCopies(creator: number, receivers: number) {
  const messageId = (receiver: number) =>
    `<newsletter.${idOf("n", creator)}.${idOf("f", receiver)}@${FROM.split("@")[1]}>`;
  const copiesOf = (receiver: number) => {
    const found = server.acknowledged.get(messageId(receiver));
    return found?.recipient === emailOf(receiver) ? found.copies : 0;
  };
  const reached = listReached(receivers);
  return {
    receivers: reached.length,
    lost: reached.filter((receiver) => copiesOf(receiver) === 0).length,
    twice: reached.filter((receiver) => copiesOf(receiver) > 1).length,
    // To people who stopped or complained, or under another Message-ID.
    strange: server.acknowledged.size - reached.filter((receiver) => copiesOf(receiver) > 0).length,
  };
}

/** Returns the mails a second from the first to the last acknowledgement. */
function rateOf(times_ms: readonly number[]): number {
  const took_s = ((times_ms.at(-1) ?? 0) - (times_ms[0] ?? 0)) / 1000;
  return Number(((times_ms.length - 1) / took_s).toFixed(1));
}

/** Returns the most acknowledgements within any second. */
function mostInASecond(times_ms: readonly number[]): number {
  let [first, most] = [0, 0];
  for (const [last, time_ms] of times_ms.entries()) {
    while (time_ms - (times_ms[first] ?? 0) >= 1000) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** Lets a thread without any other work submit mails of the same size. */
async function measureBare(): Promise<number> {
  const document = BODY.split("\n\n").map((text) => ({
    type: "paragraph" as const,
    content: [{ type: "text" as const, text }],
  }));
  const link = "http://localhost/unsubscribe/x";
  const { address, email, phone } = demoSite.notice;
  const content = { title: TITLE, creator_name: "なつめ", document, pictures: [], page_link: link };
  const words = newsletterWords({ ...content, stop_link: link });
  const sender = { origin: "http://localhost", company_name: demoSite.company_name, address };
  const rendered = renderMail(words, { ...sender, contact_email: email, contact_phone: phone });
  const mail = { mail_id: "bare", recipient: emailOf(0), ...rendered, content_id: null, stop_link: link };
  const message = (await composeMail(mail, { address: FROM, name: "ofuse" })).toString();
  const workerData = { port: server.port, mails: BARE_MAILS, message };
  await once(new Worker(new URL("./bare-mailer.ts", import.meta.url), { workerData }), "exit");
  return rateOf(server.times_ms);
}

/** Sends the newsletter of a creator while nobody disturbs the site. */
async function measureNewsletter(creator: number): Promise<{ memory_mb: Record<string, number> }> {
  const expected = listReached(RECEIVERS).length;
  const memory_mb: Record<string, number> = {};
  const is_sent = waitUntilSent(creator).then(() => true);
  for (const share of [0.1, 0.25, 0.5, 0.75, 1]) {
    while (server.times_ms.length < share * expected && !(await Promise.race([is_sent, sleep(50, false)])));
    memory_mb[`${100 * share} %`] = memoryOfWorkerd();
  }
  await is_sent;
  return { memory_mb };
}

/** Kills the runner and workerd in turn at random moments while a newsletter is sent. Returns the last runner. */
async function killMeanwhile(runner: ChildProcess, creator: number): Promise<ChildProcess> {
  const expected = listReached(KILLED_RECEIVERS).length;
  let running = runner;
  const is_sent = waitUntilSent(creator).then(() => true);
  for (let kill = 1; kill <= KILLS; kill++) {
    const before = server.times_ms.length;
    const kill_at = before + randomInt(1, Math.ceil((expected - before) / (KILLS - kill + 1)));
    while (server.times_ms.length < kill_at && !(await Promise.race([is_sent, sleep(1, false)])));
    // Any moment between two mails.
    await sleep(randomInt(0, 1000 / KILLED_PACE));
    if (kill % 2 === 0) killWorkerds();
    else {
      running.kill("SIGKILL");
      await once(running, "exit");
    }
    const killed_ms = performance.now();
    const at = server.times_ms.length;
    running = await bringBack(running);
    while (server.times_ms.at(-1) === server.times_ms[at - 1] && !(await Promise.race([is_sent, sleep(50, false)])));
    const away_s = ((performance.now() - killed_ms) / 1000).toFixed(1);
    console.log(`${kill % 2 === 0 ? "workerd" : "runner"} killed after ${at} mails, sending again after ${away_s} s`);
  }
  await is_sent;
  return running;
}

const built = await buildIfStale();
if (built && !built.passed) {
  reportStep(built);
  process.exit(1);
}
const server = await startCountingServer();
Object.assign(environment, {
  DEMO: "0",
  MAIL_END: "smtp",
  MAIL_FROM: FROM,
  SMTP_HOST: HOST,
  SMTP_PORT: String(server.port),
  SMTP_USER: CREDENTIALS.user,
  SMTP_PASSWORD: CREDENTIALS.password,
  SMTP_TLS: "starttls",
  MAILS_PER_SECOND: String(FREE_PACE),
  NODE_EXTRA_CA_CERTS: CERTIFICATE,
});
let runner: ChildProcess | undefined;
try {
  const load = loadavg()[0]?.toFixed(1);
  console.log(`load of the machine before: ${load}; submitting ${BARE_MAILS} mails by a bare client ...`);
  const bare_rate = await measureBare();
  server.forget();

  console.log(`writing ${RECEIVERS.toLocaleString("en")} receivers ...`);
  await stopRunner(await startRunner());
  addNewsletter(1, RECEIVERS);
  addComplaints();
  console.log("sending a newsletter ...");
  runner = await startRunner();
  const { memory_mb } = await measureNewsletter(1);
  const rate = rateOf(server.times_ms);
  const sent = findCopies(1, RECEIVERS);
  const pauses_ms = server.pauses_ms.toSorted((a, b) => a - b);
  const waits_ms = waitsOf(1);
  const figures = {
    ...sent,
    mails_per_s: rate,
    bare_mails_per_s: bare_rate,
    connections: server.connections(),
    handed_to_acknowledged_p50_s: Math.round(medianOf(waits_ms) / 1000),
    handed_to_acknowledged_p99_s: Math.round(timeAtShare(waits_ms, 0.99) / 1000),
    acknowledged_to_next_p50_ms: timeAtShare(pauses_ms, 0.5),
    acknowledged_to_next_p99_ms: timeAtShare(pauses_ms, 0.99),
    ...Object.fromEntries(Object.entries(memory_mb).map(([share, mb]) => [`memory_mb at ${share}`, mb])),
  };
  await stopRunner(runner);
  server.forget();

  console.log(`sending another newsletter, ${KILLED_PACE} a second, with ${KILLS} kills ...`);
  addNewsletter(2, KILLED_RECEIVERS);
  environment.MAILS_PER_SECOND = String(KILLED_PACE);
  runner = await killMeanwhile(await startRunner(), 2);
  const killed = findCopies(2, KILLED_RECEIVERS);
  const ratios = [
    atLeast("mails a second / a bare client's", rate / bare_rate, 0.04),
    atMost(
      "growth of memory in the second half of the mails, MB",
      (memory_mb["100 %"] ?? 0) - (memory_mb["50 %"] ?? 0),
      MAY_GROW_MB,
    ),
    atMost("mails lost, sent twice or to others, without a kill", sent.lost + sent.twice + sent.strange, 0),
    atMost("mails lost or to others, with kills", killed.lost + killed.strange, 0),
    atMost("mails that came twice, one for each kill at most", killed.twice, KILLS),
    atMost("most mails in a second / MAILS_PER_SECOND", mostInASecond(server.times_ms) / KILLED_PACE, 1.1),
  ];
  console.table(Object.fromEntries(ratios.map(({ name, value, target, is_met }) => [name, { value, target, is_met }])));
  console.table(figures);
  console.table({ kills: KILLS, ...killed });
  process.exitCode = ratios.every(({ is_met }) => is_met) ? 0 : 1;
} finally {
  if (runner) await stopRunner(runner);
  await server.stop();
  rmSync(data_dir, { recursive: true, force: true });
}
