/**
 * `npm run test:outbox-faults`: 10,000 letters, follows, likes and comments wait in the outbox, the site is
 * killed a hundred times while it dispatches them, and every row is tried at least twice. Then each must have made one notification, with the time of its event,
 * within 30 seconds of the last restart. A shorter run: `FAULT_EVENTS=2000 FAULT_KILLS=20 npm run test:outbox-faults`.
 */
import type { ChildProcess } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { loadavg } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { MAX_ATTEMPTS } from "../workers/api/storage/outbox.ts";
import { buildIfStale } from "./build.ts";
import { storageFile } from "./data-folder.ts";
import {
  bringBack,
  callOrThrow,
  changeDatabase,
  createFan,
  data_dir,
  type Fan,
  killWorkerds,
  letAccountsAge,
  runConcurrently,
  startRunner,
  stopRunner,
} from "./faults/site.ts";
import { reportStep } from "./steps.ts";

const EVENTS = Number(process.env.FAULT_EVENTS || 10_000);
const KILLS = Number(process.env.FAULT_KILLS || 100);
/** Each sender has more than this many events. */
const EVENTS_OF_ONE = 100;
/** A sender may send a creator three free letters a day, and 200 in all. Source: product decisions. */
const [LETTERS_PER_PAIR, RECEIVERS_OF_ONE] = [3, 65];
/** Source: issue 16, "all delivered 30 s after the restart". */
const DELIVERED_WITHIN_MS = 30_000;
/** A site that dispatches nothing for so long has a fault. */
const PATIENCE_MS = 3 * 60_000;

/** Nothing is dispatched while the events are written: a row that counts as given up for an error is not tried. */
const HOLD = `CREATE TRIGGER fault_hold AFTER INSERT ON outbox BEGIN
    UPDATE outbox SET attempts = ${MAX_ATTEMPTS}, last_error = 'held' WHERE outbox_id = NEW.outbox_id;
  END`;
const takeBack = (when: string) => `CREATE TRIGGER fault_again AFTER UPDATE OF processed_at ON outbox
  WHEN NEW.processed_at IS NOT NULL AND ${when} BEGIN
    INSERT INTO fault_tries VALUES (NEW.outbox_id, 1) ON CONFLICT DO UPDATE SET tries = tries + 1;
    UPDATE outbox SET processed_at = NULL, attempts = min(attempts + 1, 3) WHERE outbox_id = NEW.outbox_id;
  END`;
/**
 * Releases half of the rows, and takes each mark back, as if a crash came between its effects and the mark: the rows are tried
 * again and again, after others, until the last kill.
 */
const RELEASE = `DROP TRIGGER fault_hold;
  UPDATE outbox SET attempts = 0 WHERE processed_at IS NULL AND random() % 2 = 0;
  CREATE TABLE fault_tries (outbox_id TEXT PRIMARY KEY, tries INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  ${takeBack("TRUE")}`;
/** Releases the other half, and takes only the first mark of a row back. */
const FINISH = `DROP TRIGGER fault_again;
  UPDATE outbox SET attempts = 0 WHERE processed_at IS NULL;
  ${takeBack("NEW.outbox_id NOT IN (SELECT outbox_id FROM fault_tries)")}`;

type Call = () => Promise<unknown>;

/** Returns calls that write one event each, in random order. */
function planEvents(senders: Fan[], receiver_ids: string[], event_ids: string[]): Call[] {
  const post = async (sender: Fan, path: string, body: object) =>
    callOrThrow("POST", path, { token: await sender.freshToken(), key: randomUUID(), body });
  const calls = senders.flatMap((sender) => {
    const others = receiver_ids.filter((each) => each !== sender.user_id).slice(0, RECEIVERS_OF_ONE);
    return [
      ...others.flatMap((receiver_user_id) =>
        Array.from(
          { length: LETTERS_PER_PAIR },
          (): Call => () => {
            const message = `応援しています ${randomUUID()}`;
            return post(sender, "/v4/free_ofuses", { receiver_user_id, message });
          },
        ),
      ),
      ...others.map(
        (following_id): Call =>
          () =>
            post(sender, "/v4/relationships", { following_id }),
      ),
      ...event_ids.flatMap((event_id): Call[] => [
        () => post(sender, `/v4/events/${event_id}/like`, { is_liked: true }),
        () => post(sender, `/v4/events/${event_id}/comments`, { message: "線のやわらかさが好きです。" }),
      ]),
    ];
  });
  return calls
    .map((call) => ({ call, rank: randomInt(2 ** 32) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, EVENTS)
    .map(({ call }) => call);
}

const openProduct = () => new DatabaseSync(storageFile(data_dir, "api"), { readOnly: true, timeout: 10_000 });
const count = (database: DatabaseSync, query: string, ...given: string[]) =>
  Number(database.prepare(query).get(...given)?.n);

/** Counts the tries that have succeeded, and the rows that wait. */
function readProgress(): { tries: number; waiting: number } {
  const product = openProduct();
  const tries = count(
    product,
    `SELECT (SELECT coalesce(SUM(tries), 0) FROM fault_tries)
      + (SELECT COUNT(*) FROM outbox WHERE processed_at IS NOT NULL AND outbox_id IN (SELECT outbox_id FROM fault_tries)) AS n`,
  );
  const waiting = count(product, "SELECT COUNT(*) AS n FROM outbox WHERE processed_at IS NULL");
  product.close();
  return { tries, waiting };
}

/** Waits until so many tries have succeeded, or nothing waits. */
async function waitForTries(tries: number): Promise<void> {
  for (const began_ms = Date.now(); ; await sleep(10)) {
    const progress = readProgress();
    if (progress.tries >= tries || progress.waiting === 0) return;
    if (Date.now() - began_ms > PATIENCE_MS) throw new Error(`${progress.waiting} rows wait, and none is dispatched`);
  }
}

/** Conditions that no row may fulfil. `?1` is the time when the run began. */
const FAULTS: Record<string, string> = {
  "letters without one notification that has their time": `SELECT COUNT(*) AS n FROM ofuses
    WHERE created_at >= ?1 AND (SELECT COUNT(*) FROM notifications told
      WHERE told.occasion = 'ofuse_sent ' || ofuse_id AND told.created_at = ofuses.created_at) <> 1`,
  "comments without one notification that has their time": `SELECT COUNT(*) AS n FROM event_comments
    WHERE created_at >= ?1 AND (SELECT COUNT(*) FROM notifications told
      WHERE told.subject_id = comment_id AND told.created_at = event_comments.created_at) <> 1`,
  "follows that are in no bundle with their time": `SELECT COUNT(*) AS n FROM relationships
    WHERE created_at >= ?1 AND NOT EXISTS (SELECT 1 FROM notification_actors
      WHERE occasion = 'followed ' || follower_id || ' ' || following_id AND acted_at = relationships.created_at)`,
  "likes that are in no bundle with their time": `SELECT COUNT(*) AS n FROM event_likes
    WHERE created_at >= ?1 AND NOT EXISTS (SELECT 1 FROM notification_actors
      WHERE occasion = 'liked ' || event_id || ' ' || liker AND acted_at = event_likes.created_at)`,
  "bundles without the time of their newest person": `SELECT COUNT(*) AS n FROM notifications
    WHERE bundle IS NOT NULL AND created_at >= ?1 AND created_at <> (SELECT MAX(acted_at) FROM notification_actors acting
      WHERE acting.notification_id = notifications.notification_id)`,
  "notifications too many": `SELECT (SELECT COUNT(*) FROM notifications WHERE bundle IS NULL AND created_at >= ?1
      AND type IN ('get_free_ofuse', 'new_event_comment'))
    - (SELECT COUNT(*) FROM ofuses WHERE created_at >= ?1) - (SELECT COUNT(*) FROM event_comments WHERE created_at >= ?1) AS n`,
  "people of bundles too many": `SELECT (SELECT COUNT(*) FROM notification_actors WHERE acted_at >= ?1)
    - (SELECT COUNT(*) FROM relationships WHERE created_at >= ?1) - (SELECT COUNT(*) FROM event_likes WHERE created_at >= ?1) AS n`,
  "rows that were not tried twice": `SELECT COUNT(*) AS n FROM outbox
    WHERE created_at >= ?1 AND outbox_id NOT IN (SELECT outbox_id FROM fault_tries)`,
  "rows that wait or were given up": "SELECT COUNT(*) AS n FROM outbox WHERE processed_at IS NULL AND ?1 <> ''",
};

/** Returns what is wrong, as sentences, in the databases of a site that is stopped. */
function findFaults(began_at: string): string[] {
  const product = openProduct();
  const mails = new DatabaseSync(storageFile(data_dir, "mails"), { readOnly: true });
  const found = Object.entries(FAULTS).flatMap(([what, query]) => {
    const number = count(product, query, began_at);
    return number === 0 ? [] : [`${number} ${what}`];
  });
  const written = count(
    product,
    `SELECT (SELECT COUNT(*) FROM ofuses WHERE created_at >= ?1) + (SELECT COUNT(*) FROM event_comments WHERE created_at >= ?1)
      + (SELECT COUNT(*) FROM relationships WHERE created_at >= ?1) + (SELECT COUNT(*) FROM event_likes WHERE created_at >= ?1) AS n`,
    began_at,
  );
  if (written !== EVENTS) found.push(`${EVENTS} events were acknowledged, but ${written} are written`);
  const owed = product
    .prepare(
      `SELECT 'notification:ofuse_sent:' || ofuse_id AS mail_id FROM ofuses JOIN users ON users.user_id = receiver_user_id
       WHERE ofuses.created_at >= ? AND email IS NOT NULL AND email_invalid = 0`,
    )
    .all(began_at);
  const taken = new Set(
    mails
      .prepare("SELECT mail_id FROM mails WHERE mail_id LIKE 'notification:ofuse_sent:%' AND created_at >= ?")
      .all(began_at)
      .map(({ mail_id }) => mail_id),
  );
  const missing = owed.filter(({ mail_id }) => !taken.has(mail_id)).length;
  if (missing > 0) found.push(`${missing} letters were not mailed`);
  if (taken.size !== owed.length) found.push(`${owed.length} letters are mailed, but ${taken.size} mails were taken`);
  console.log(`${EVENTS} events, ${taken.size} mails`);
  product.close();
  mails.close();
  return found;
}

const built = await buildIfStale();
if (built && !built.passed) {
  reportStep(built);
  process.exit(1);
}
let runner: ChildProcess | undefined;
try {
  runner = await startRunner();
  const senders: Fan[] = [];
  await runConcurrently(Array.from({ length: Math.ceil(EVENTS / EVENTS_OF_ONE) }), async () => {
    senders.push(await createFan());
  });
  runner = await letAccountsAge(runner);
  runner = await changeDatabase(runner, HOLD);
  const { users } = await callOrThrow<{ users: { user_id: string }[] }>("GET", "/v4/users/recommend?limit=25");
  const { events } = await callOrThrow<{ events: { event_id: string }[] }>("GET", "/v4/newest_events?limit=25");
  const receiver_ids = [...users, ...senders].map(({ user_id }) => user_id);
  const began_at = new Date().toISOString();
  const calls = planEvents(
    senders,
    receiver_ids,
    events.map(({ event_id }) => event_id),
  );
  if (calls.length < EVENTS) throw new Error(`only ${calls.length} events could be planned`);
  await runConcurrently(calls, async (call) => void (await call()));
  console.log(`${calls.length} events wait after ${Date.now() - Date.parse(began_at)} ms`);
  runner = await changeDatabase(runner, RELEASE);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const before = readProgress();
    await waitForTries(before.tries + randomInt(1 + Math.ceil((2 * EVENTS) / KILLS)));
    const is_workerd = kill % 5 === 0;
    if (is_workerd) {
      killWorkerds();
    } else {
      runner.kill("SIGKILL");
      await once(runner, "exit");
    }
    const { tries, waiting } = readProgress();
    console.log(`kill ${kill}: ${is_workerd ? "workerd" : "runner"}, ${tries} tries, ${waiting} rows wait`);
    if (kill < KILLS) runner = is_workerd ? await bringBack(runner) : await startRunner();
  }
  runner.kill("SIGKILL");
  killWorkerds();
  runner = await changeDatabase(runner, FINISH);
  const restarted_ms = Date.now();
  const { tries, waiting } = readProgress();
  await waitForTries(Number.POSITIVE_INFINITY);
  const took_ms = Date.now() - restarted_ms;
  const last = readProgress();
  await stopRunner(runner);
  const faults = findFaults(began_at);
  if (took_ms > DELIVERED_WITHIN_MS) faults.push(`the last rows were delivered after ${took_ms} ms`);
  for (const fault of faults) console.log(fault);
  console.log(
    `${KILLS} kills; after the last restart ${waiting} rows were delivered in ${last.tries - tries} tries and ${took_ms} ms, load ${loadavg()[0]?.toFixed(1)}`,
  );
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  if (runner) await stopRunner(runner);
  rmSync(data_dir, { recursive: true, force: true });
}
