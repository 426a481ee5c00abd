/**
 * `npm run test:faults`: kills the runner, or every workerd it started, thirty times while letters are being sent. Then
 * it looks for every acknowledged letter. docs/operations.md lists the whole fault suite; its other tests run with `npm
 * test`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { buildIfStale } from "./build.ts";
import { storageFile } from "./data-folder.ts";
import { readSecrets } from "./secrets.ts";
import { reportStep } from "./steps.ts";

const ROUNDS = 30;
const CONNECTIONS = 8;
const SENDERS = 40;
/** A sender may send a creator three free letters a day. Source: product decisions, "free ofuse". */
const LETTERS_PER_PAIR = 3;

interface Fan {
  token: string;
  user_id: string;
}

/** A letter to send. `key` is the same for every attempt, as with a client that retries. */
interface Letter {
  sender: Fan;
  receiver_user_id: string;
  message: string;
  key: string;
}

const data_dir = mkdtempSync(join(tmpdir(), "ofuse-faults-"));
// Below the ports that systems give to outgoing connections, so that the port is still free after each kill.
const port = randomInt(20_000, 30_000);
const origin = `http://localhost:${port}`;

/** Starts the runner as a user does, and waits for its line "Ready". */
async function startRunner(): Promise<ChildProcess> {
  const runner = spawn(process.execPath, [join(import.meta.dirname, "serve.ts")], {
    // Raises the identity provider's limits, so that all people can sign up.
    env: {
      ...process.env,
      ...{ PORT: String(port), DATA_DIR: data_dir, DEMO: "1" },
      ...{ SIGN_UPS_PER_ADDRESS_HOUR: "100000", MAILS_PER_ADDRESS_HOUR: "100000" },
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaints = "";
  runner.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    complaints = `${complaints}${chunk}`.slice(-4_000);
  });
  const said = await new Promise<string>((done) => {
    let text = "";
    runner.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (/^Ready /m.test(text)) done(text);
    });
    runner.once("exit", () => done(text));
  });
  if (!/^Ready /m.test(said)) throw new Error(`the runner did not start:\n${said}${complaints}`);
  return runner;
}

/** Sends one JSON call to `/v4` or to the identity provider. */
async function sendCall<T>(
  method: string,
  path: string,
  { token, key, body }: { token?: string; key?: string; body?: unknown } = {},
): Promise<{ status: number; answer: T }> {
  const headers = new Headers({ "content-type": "application/json" });
  if (token) headers.set("authorization", `Bearer ${token}`);
  if (key) headers.set("idempotency-key", key);
  const response = await fetch(`${origin}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  const is_json = response.headers.get("content-type")?.includes("json") && text !== "";
  return { status: response.status, answer: (is_json ? JSON.parse(text) : null) as T };
}

/** Like {@link sendCall}, but throws unless the call succeeds. */
async function callOrThrow<T>(...call_args: Parameters<typeof sendCall>): Promise<T> {
  const { status, answer } = await sendCall<T>(...call_args);
  if (status >= 400) throw new Error(`${call_args[0]} ${call_args[1]}: ${status} ${JSON.stringify(answer)}`);
  return answer;
}

/** Confirms the address with the code in the mail, as its owner would. Returns a token with the confirmed address. */
async function confirmEmail(email: string, idToken: string, refresh_token: string): Promise<string> {
  const key = `key=${readSecrets(data_dir).IDENTITY_API_KEY}`;
  const toolkit = "/identitytoolkit.googleapis.com/v1/accounts";
  await callOrThrow("POST", `${toolkit}:sendOobCode?${key}`, { body: { requestType: "VERIFY_EMAIL", idToken } });
  const { oobCodes } = await callOrThrow<{ oobCodes: { email: string; oobCode: string }[] }>(
    "GET",
    "/emulator/v1/projects/demo-ofuse/oobCodes",
  );
  const oobCode = oobCodes.findLast((code) => code.email === email)?.oobCode;
  await callOrThrow("POST", `${toolkit}:update?${key}`, { body: { idToken, oobCode } });
  const body = { grant_type: "refresh_token", refresh_token };
  const renewed = await callOrThrow<{ id_token: string }>("POST", `/securetoken.googleapis.com/v1/token?${key}`, {
    body,
  });
  return renewed.id_token;
}

/** Signs up a person who accepts free letters. */
async function createFan(): Promise<Fan> {
  const signUp = `/identitytoolkit.googleapis.com/v1/accounts:signUp?key=${readSecrets(data_dir).IDENTITY_API_KEY}`;
  const credentials = { email: `${randomUUID()}@faults.example`, password: randomUUID(), returnSecureToken: true };
  const { idToken, refreshToken } = await callOrThrow<{ idToken: string; refreshToken: string }>("POST", signUp, {
    body: credentials,
  });
  const token = await confirmEmail(credentials.email, idToken, refreshToken);
  const profile = { token, body: { default_name: "障害テスト" } };
  const { user } = await callOrThrow<{ user: { user_id: string } }>("POST", "/v4/profile", profile);
  await callOrThrow("PUT", "/v4/profile", { token, body: { accepts_free_ofuses: true } });
  return { token, user_id: user.user_id };
}

/** Makes every account old enough for the daily limits of older accounts, which all letters of a run fit into. */
async function letAccountsAge(runner: ChildProcess): Promise<ChildProcess> {
  runner.kill("SIGTERM");
  await once(runner, "exit");
  const database = new DatabaseSync(storageFile(data_dir, "api"));
  database.exec("UPDATE users SET created_at = '2020-01-01T00:00:00.000Z'");
  database.close();
  return startRunner();
}

/** Runs `work` on every item, a fixed number at a time. */
async function runConcurrently<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const shared = items[Symbol.iterator]();
  const runLane = async (): Promise<void> => {
    for (let next = shared.next(); !next.done; next = shared.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, runLane));
}

/** Plans every letter that the daily limit allows, in random order. */
function planLetters(senders: Fan[], receiver_ids: string[]): Letter[] {
  const letters = senders.flatMap((sender) =>
    receiver_ids
      .filter((receiver_user_id) => receiver_user_id !== sender.user_id)
      .flatMap((receiver_user_id) =>
        Array.from({ length: LETTERS_PER_PAIR }, () => {
          const key = randomUUID();
          return { sender, receiver_user_id, key, message: `応援しています ${key}` };
        }),
      ),
  );
  return letters
    .map((letter) => ({ letter, rank: randomInt(2 ** 32) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ letter }) => letter);
}

/** The answers other than 201, and how often each came. */
const refusals = new Map<string, number>();
const acknowledged: { ofuse_id: string; letter: Letter }[] = [];

/** Sends letters until `stop` is set. Returns those that got no answer or a server error, to be sent again. */
async function sendLetters(letters: Letter[], stop: AbortSignal): Promise<Letter[]> {
  const unanswered: Letter[] = [];
  const untilStopped = (function* () {
    for (const letter of letters) {
      if (stop.aborted) return;
      yield letter;
    }
  })();
  await runConcurrently(untilStopped, async (letter) => {
    const { sender, receiver_user_id, message, key } = letter;
    const body = { receiver_user_id, message };
    try {
      const sent = await sendCall<{ ofuse: { ofuse_id: string }; code?: string }>("POST", "/v4/free_ofuses", {
        token: sender.token,
        key,
        body,
      });
      if (sent.status === 201) {
        acknowledged.push({ ofuse_id: sent.answer.ofuse.ofuse_id, letter });
        return;
      }
      const refusal = `${sent.status} ${sent.answer?.code ?? ""}`.trim();
      refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
      if (sent.status >= 500) unanswered.push(letter);
    } catch {
      // The kill came during the request: the letter may be stored or not. The next round sends it again with the same
      // key.
      unanswered.push(letter);
      await sleep(5);
    }
  });
  return unanswered;
}

/** Returns the processes that the runner has recorded. */
function workerdPids(): number[] {
  const record = JSON.parse(readFileSync(join(data_dir, "runner.json"), "utf8")) as { workerds: { pid: number }[] };
  return record.workerds.map(({ pid }) => pid);
}

async function waitUntilAnswering(): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const answered = await sendCall("GET", "/v4/users/recommend?limit=1").catch(() => undefined);
    if (answered?.status === 200) return;
    await sleep(100);
  }
  throw new Error("the runner did not bring workerd back within ten seconds");
}

/** Whether a letter is stored, word for word. */
async function isStored(ofuse_id: string, { sender, message }: Letter): Promise<boolean> {
  const findLetter = () =>
    sendCall<{ ofuse?: { message: string } }>("GET", `/v4/ofuses/${ofuse_id}`, { token: sender.token });
  // Tries twice, because the first request may use a connection to a process that was killed.
  const found = await findLetter().catch(findLetter);
  return found.status === 200 && found.answer.ofuse?.message === message;
}

/** Looks for every acknowledged letter. Returns how many are missing or differ. */
async function countLost(): Promise<number> {
  let lost = 0;
  await runConcurrently(acknowledged, async ({ ofuse_id, letter }) => {
    if (!(await isStored(ofuse_id, letter))) lost += 1;
  });
  return lost;
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
  await runConcurrently(Array.from({ length: SENDERS }), async () => {
    senders.push(await createFan());
  });
  runner = await letAccountsAge(runner);
  const { users } = await callOrThrow<{ users: { user_id: string }[] }>("GET", "/v4/users/recommend?limit=25");
  let letters = planLetters(
    senders,
    [...users, ...senders].map(({ user_id }) => user_id),
  );
  const per_round = Math.ceil(letters.length / ROUNDS);
  let unanswered: Letter[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const before = acknowledged.length;
    const kill_at = before + randomInt(per_round);
    const stop = new AbortController();
    const sending = sendLetters([...unanswered, ...letters.slice(0, per_round)], stop.signal);
    letters = letters.slice(per_round);
    // Kills in the middle of the sending, on a machine of any speed.
    for (let waited_ms = 0; acknowledged.length < kill_at && waited_ms < 5_000; waited_ms += 2) await sleep(2);
    if (round % 2 === 0) {
      for (const pid of workerdPids()) process.kill(pid, "SIGKILL");
    } else {
      runner.kill("SIGKILL");
      await once(runner, "exit");
    }
    // A workerd whose runner was killed continues to answer. The letters it acknowledges count too.
    await sleep(randomInt(0, 200));
    stop.abort();
    unanswered = await sending;
    if (round % 2 === 0) await waitUntilAnswering();
    else runner = await startRunner();
    console.log(
      `round ${round}: ${round % 2 === 0 ? "workerd" : "runner"}, ${acknowledged.length - before} acknowledged`,
    );
  }
  await sendLetters(unanswered, new AbortController().signal);
  const lost = await countLost();
  const twice = acknowledged.length - new Set(acknowledged.map(({ ofuse_id }) => ofuse_id)).size;
  for (const [refusal, times] of refusals) console.log(`answered ${refusal}: ${times}`);
  console.log(`acknowledged ${acknowledged.length}, lost ${lost}, rounds ${ROUNDS}`);
  if (twice > 0) console.log(`${twice} letters share an id with another`);
  // A letter that a limit refuses tests nothing.
  const is_limited = [...refusals.keys()].some((refusal) => !refusal.startsWith("5"));
  process.exitCode = lost === 0 && twice === 0 && acknowledged.length > 0 && !is_limited ? 0 : 1;
} finally {
  if (runner && runner.exitCode === null && runner.signalCode === null) {
    runner.kill("SIGTERM");
    await once(runner, "exit");
  }
  rmSync(data_dir, { recursive: true, force: true });
}
