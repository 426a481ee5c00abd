/**
 * `npm run test:faults`: kills the runner, or every workerd it started, while letters are being sent, thirty times,
 * and then looks for every letter that was acknowledged.
 *
 * The whole fault suite (the rest runs with `npm test`), as docs/operations.md tells it at more length:
 *
 *     fault                                 what is shown or kept                       where tested
 *     runner or workerd killed under load   every acknowledged letter                   here
 *     D1 fails at any statement of a write  nothing written; done once when repeated    tests/api/commit-faults
 *     D1 did it, its answer was lost        the same answer when repeated, one letter   tests/api/commit-faults
 *     a reaction fails, a crash in between  the row waits; told once                    tests/api/outbox
 *     twins of one request                  one is done, both are answered              tests/network/idempotency
 *     a table cannot be used                a sentence, every typed word                tests/network/storage-faults
 *     the disk is full                      5xx, nothing acknowledged, nothing lost     tests/network/full-disk
 *     the API is down or talks nonsense     503 with a number, every typed word         tests/network/outage
 *     the API answers too late              every typed word; sent again, not twice     tests/network/outage
 *     the identity provider is silent       nobody is signed out                        tests/network/session-renewal
 *     the API's clock jumps                 refusals by name; nothing fresh is deleted  tests/api/clock-jumps
 *     the web worker's clock jumps          the session, when the clock is back         tests/app/session
 *     a backup is cut off or changed        a refusal; nothing is restored              tests/scripts/backup
 *     a deployment fails halfway            what stands where, and the way back         tests/scripts/deploy
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildIfStale } from "./build.ts";
import { readSecrets } from "./secrets.ts";
import { reportStep } from "./steps.ts";

const ROUNDS = 30;
const CONNECTIONS = 8;
const SENDERS = 40;
/** A creator takes three free letters a day from one sender. Source: decisions, "free ofuse". */
const LETTERS_PER_PAIR = 3;

interface Fan {
  token: string;
  user_id: string;
}

/** A letter to send; `key` stays the same over every attempt, as with a client that retries. */
interface Letter {
  sender: Fan;
  receiver_user_id: string;
  message: string;
  key: string;
}

const data_dir = mkdtempSync(join(tmpdir(), "ofuse-faults-"));
// Below the ports that systems give to outgoing connections: it must still be free after each kill.
const port = randomInt(20_000, 30_000);
const origin = `http://localhost:${port}`;

/** Starts the runner as a user does and waits for its Ready line. */
async function startRunner(): Promise<ChildProcess> {
  const runner = spawn(process.execPath, [join(import.meta.dirname, "serve.ts")], {
    // The limits of the identity provider are not what is tried here.
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

/** One call of `/v4` or of the identity provider, as JSON. */
async function call<T>(
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

/** Like `call`, for steps that must succeed. */
async function demand<T>(...call_args: Parameters<typeof call>): Promise<T> {
  const { status, answer } = await call<T>(...call_args);
  if (status >= 400) throw new Error(`${call_args[0]} ${call_args[1]}: ${status} ${JSON.stringify(answer)}`);
  return answer;
}

/** Signs up somebody new who takes free letters. */
/** Proves the address as its owner would, by the code in the mail; returns a token that says so. */
async function confirmEmail(email: string, idToken: string, refresh_token: string): Promise<string> {
  const key = `key=${readSecrets(data_dir).IDENTITY_API_KEY}`;
  const toolkit = "/identitytoolkit.googleapis.com/v1/accounts";
  await demand("POST", `${toolkit}:sendOobCode?${key}`, { body: { requestType: "VERIFY_EMAIL", idToken } });
  const { oobCodes } = await demand<{ oobCodes: { email: string; oobCode: string }[] }>(
    "GET",
    "/emulator/v1/projects/demo-ofuse/oobCodes",
  );
  const oobCode = oobCodes.findLast((code) => code.email === email)?.oobCode;
  await demand("POST", `${toolkit}:update?${key}`, { body: { idToken, oobCode } });
  const body = { grant_type: "refresh_token", refresh_token };
  const renewed = await demand<{ id_token: string }>("POST", `/securetoken.googleapis.com/v1/token?${key}`, { body });
  return renewed.id_token;
}

async function createFan(): Promise<Fan> {
  const signUp = `/identitytoolkit.googleapis.com/v1/accounts:signUp?key=${readSecrets(data_dir).IDENTITY_API_KEY}`;
  const credentials = { email: `${randomUUID()}@faults.example`, password: randomUUID(), returnSecureToken: true };
  const { idToken, refreshToken } = await demand<{ idToken: string; refreshToken: string }>("POST", signUp, {
    body: credentials,
  });
  const token = await confirmEmail(credentials.email, idToken, refreshToken);
  const profile = { token, body: { default_name: "障害テスト" } };
  const { user } = await demand<{ user: { user_id: string } }>("POST", "/v4/profile", profile);
  await demand("PUT", "/v4/profile", { token, body: { accepts_free_ofuses: true } });
  return { token, user_id: user.user_id };
}

/** Runs `work` on every item, a fixed number at a time. */
async function atOnce<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const shared = items[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (let next = shared.next(); !next.done; next = shared.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
}

/** Every letter there is room for, in random order. */
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

/** Answers other than 201, each with how often it came. */
const refusals = new Map<string, number>();
const acknowledged: { ofuse_id: string; letter: Letter }[] = [];

/** Sends letters until `stop` is set; gives back those that got no answer. */
async function sendLetters(letters: Letter[], stop: AbortSignal): Promise<Letter[]> {
  const unanswered: Letter[] = [];
  const untilStopped = (function* () {
    for (const letter of letters) {
      if (stop.aborted) return;
      yield letter;
    }
  })();
  await atOnce(untilStopped, async (letter) => {
    const { sender, receiver_user_id, message, key } = letter;
    const body = { receiver_user_id, message };
    try {
      const sent = await call<{ ofuse: { ofuse_id: string }; code?: string }>("POST", "/v4/free_ofuses", {
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
      // Killed under it: nobody knows whether it was sent, so the next round tries again with the same key.
      unanswered.push(letter);
      await sleep(5);
    }
  });
  return unanswered;
}

/** The processes that the runner has noted. */
function workerdPids(): number[] {
  const record = JSON.parse(readFileSync(join(data_dir, "runner.json"), "utf8")) as { workerds: { pid: number }[] };
  return record.workerds.map(({ pid }) => pid);
}

/** Waits until the network answers. */
async function untilAnswering(): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const answered = await call("GET", "/v4/users/recommend?limit=1").catch(() => undefined);
    if (answered?.status === 200) return;
    await sleep(100);
  }
  throw new Error("the runner did not bring workerd back within ten seconds");
}

/** Whether a letter is there, word for word. */
async function isThere(ofuse_id: string, { sender, message }: Letter): Promise<boolean> {
  const find = () => call<{ ofuse?: { message: string } }>("GET", `/v4/ofuses/${ofuse_id}`, { token: sender.token });
  // Once more: the first may go out on a connection to a process killed meanwhile.
  const found = await find().catch(find);
  return found.status === 200 && found.answer.ofuse?.message === message;
}

/** Looks for every acknowledged letter; gives back how many are missing or differ. */
async function countLost(): Promise<number> {
  let lost = 0;
  await atOnce(acknowledged, async ({ ofuse_id, letter }) => {
    if (!(await isThere(ofuse_id, letter))) lost += 1;
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
  await atOnce(Array.from({ length: SENDERS }), async () => {
    senders.push(await createFan());
  });
  const { users } = await demand<{ users: { user_id: string }[] }>("GET", "/v4/users/recommend?limit=25");
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
    // Somewhere in the middle of the sending, however fast this machine is.
    for (let waited_ms = 0; acknowledged.length < kill_at && waited_ms < 5_000; waited_ms += 2) await sleep(2);
    if (round % 2 === 0) {
      for (const pid of workerdPids()) process.kill(pid, "SIGKILL");
    } else {
      runner.kill("SIGKILL");
      await once(runner, "exit");
    }
    // The orphan of a killed runner goes on answering: what it acknowledges counts too.
    await sleep(randomInt(0, 200));
    stop.abort();
    unanswered = await sending;
    if (round % 2 === 0) await untilAnswering();
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
  process.exitCode = lost === 0 && twice === 0 && acknowledged.length > 0 ? 0 : 1;
} finally {
  if (runner && runner.exitCode === null && runner.signalCode === null) {
    runner.kill("SIGTERM");
    await once(runner, "exit");
  }
  rmSync(data_dir, { recursive: true, force: true });
}
