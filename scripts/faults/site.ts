/** A demo (or another site, by {@link environment}) on a port of its own, its people, and calls to it. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { storageFile } from "../data-folder.ts";
import { readSecrets } from "../secrets.ts";

export interface Fan {
  /** Returns a token that is good for a while: a long run takes longer than a token lives. */
  freshToken(): Promise<string>;
  user_id: string;
}

/** A token lives an hour. */
const RENEWED_AFTER_MS = 30 * 60 * 1000;

export const data_dir = mkdtempSync(join(tmpdir(), "ofuse-faults-"));
// Below the ports that systems give to outgoing connections, so that the port is still free after each kill.
const port = randomInt(20_000, 30_000);
export const origin = `http://localhost:${port}`;

/** The runner's settings. It raises the identity provider's limits, so that all people can sign up. */
export const environment: Record<string, string> = {
  PORT: String(port),
  DATA_DIR: data_dir,
  DEMO: "1",
  SIGN_UPS_PER_ADDRESS_HOUR: "100000",
  MAILS_PER_ADDRESS_HOUR: "100000",
};

/** How long the site may take to answer again. A restart takes seconds; a busy machine must not end a run. */
const PATIENCE_MS = 10 * 60 * 1000;

/** Starts the runner as a user does, as often as it takes until it says "Ready". */
export async function startRunner(): Promise<ChildProcess> {
  const began_ms = Date.now();
  for (;;) {
    try {
      return await tryToStart();
    } catch (error) {
      if (Date.now() - began_ms > PATIENCE_MS) throw error;
      await sleep(1000);
    }
  }
}

async function tryToStart(): Promise<ChildProcess> {
  const runner = spawn(process.execPath, [join(import.meta.dirname, "..", "serve.ts")], {
    env: { ...process.env, ...environment },
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

const CONNECTIONS = 8;

/** Runs `work` on every item, a fixed number at a time. */
export async function runConcurrently<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const shared = items[Symbol.iterator]();
  const runLane = async (): Promise<void> => {
    for (let next = shared.next(); !next.done; next = shared.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, runLane));
}

/** Sends one JSON call to `/v4` or to the identity provider. */
export async function sendCall<T>(
  method: string,
  path: string,
  { token, key, body, wait_ms = 10_000 }: { token?: string; key?: string; body?: unknown; wait_ms?: number } = {},
): Promise<{ status: number; answer: T }> {
  const headers = new Headers({ "content-type": "application/json" });
  if (token) headers.set("authorization", `Bearer ${token}`);
  if (key) headers.set("idempotency-key", key);
  const response = await fetch(`${origin}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(wait_ms),
  });
  const text = await response.text();
  const is_json = response.headers.get("content-type")?.includes("json") && text !== "";
  return { status: response.status, answer: (is_json ? JSON.parse(text) : null) as T };
}

/** The site answered, but not as the run needs it. */
export class CallRefused extends Error {
  /** The status, the code if there is one, and the path without its query: the same for the same kind of refusal. */
  readonly refusal: string;

  constructor(method: string, path: string, { status, answer }: { status: number; answer: unknown }) {
    super(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    const { code = "" } = (answer ?? {}) as { code?: string };
    this.refusal = [status, code, `(${method} ${path.replace(/\?.*/, "")})`].filter(Boolean).join(" ");
  }
}

/** Like {@link sendCall}, but waits long for the answer, and throws {@link CallRefused} unless the call succeeds. */
export async function callOrThrow<T>(...[method, path, options]: Parameters<typeof sendCall>): Promise<T> {
  const { status, answer } = await sendCall<T>(method, path, { ...options, wait_ms: PATIENCE_MS });
  if (status >= 400) throw new CallRefused(method, path, { status, answer });
  return answer;
}

/** Confirms the address with the code in the mail, as its owner would. Tokens have the confirmed address after their renewal. */
async function confirmEmail(email: string, idToken: string): Promise<void> {
  const key = `key=${readSecrets(data_dir).IDENTITY_API_KEY}`;
  const toolkit = "/identitytoolkit.googleapis.com/v1/accounts";
  await callOrThrow("POST", `${toolkit}:sendOobCode?${key}`, { body: { requestType: "VERIFY_EMAIL", idToken } });
  const { oobCodes } = await callOrThrow<{ oobCodes: { email: string; oobCode: string }[] }>(
    "GET",
    "/emulator/v1/projects/demo-ofuse/oobCodes",
  );
  const oobCode = oobCodes.findLast((code) => code.email === email)?.oobCode;
  await callOrThrow("POST", `${toolkit}:update?${key}`, { body: { idToken, oobCode } });
}

/** Returns a new ID token, and the refresh token that replaces the used one. */
async function renewToken(refresh_token: string): Promise<{ id_token: string; refresh_token: string }> {
  const path = `/securetoken.googleapis.com/v1/token?key=${readSecrets(data_dir).IDENTITY_API_KEY}`;
  return callOrThrow("POST", path, { body: { grant_type: "refresh_token", refresh_token } });
}

/** Signs up a person who accepts free letters. */
export async function createFan(): Promise<Fan> {
  const signUp = `/identitytoolkit.googleapis.com/v1/accounts:signUp?key=${readSecrets(data_dir).IDENTITY_API_KEY}`;
  const credentials = { email: `${randomUUID()}@faults.example`, password: randomUUID(), returnSecureToken: true };
  const { idToken, refreshToken } = await callOrThrow<{ idToken: string; refreshToken: string }>("POST", signUp, {
    body: credentials,
  });
  await confirmEmail(credentials.email, idToken);
  let [tokens, renewed_ms] = [await renewToken(refreshToken), Date.now()];
  const token = tokens.id_token;
  const profile = { token, body: { default_name: "障害テスト" } };
  const { user } = await callOrThrow<{ user: { user_id: string } }>("POST", "/v4/profile", profile);
  await callOrThrow("PUT", "/v4/profile", { token, body: { accepts_free_ofuses: true } });
  return {
    user_id: user.user_id,
    async freshToken() {
      if (Date.now() - renewed_ms > RENEWED_AFTER_MS) {
        // Requests that renew at the same time get the same tokens. So does the repetition of one that a kill cut off.
        [tokens, renewed_ms] = [await renewToken(tokens.refresh_token), Date.now()];
      }
      return tokens.id_token;
    },
  };
}

/** Makes every account old enough for the daily limits of older accounts, which all letters of a run fit into. */
export function letAccountsAge(runner: ChildProcess): Promise<ChildProcess> {
  return changeDatabase(runner, "UPDATE users SET created_at = '2020-01-01T00:00:00.000Z'");
}

/** Stops the site, runs statements on the API's database, and starts the site again. */
export async function changeDatabase(runner: ChildProcess, statements: string): Promise<ChildProcess> {
  await stopRunner(runner);
  // A workerd may end a moment later than its runner.
  const database = new DatabaseSync(storageFile(data_dir, "api"), { timeout: PATIENCE_MS });
  database.exec(statements);
  database.close();
  return startRunner();
}

/** Returns the workerd processes that the runner has recorded. */
export function listWorkerds(): number[] {
  const record = JSON.parse(readFileSync(join(data_dir, "runner.json"), "utf8")) as { workerds: { pid: number }[] };
  return record.workerds.map(({ pid }) => pid);
}

export function killWorkerds(): void {
  for (const pid of listWorkerds()) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // It has ended by itself.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

/** Waits until the site answers. Returns its runner: a new one if the old one was killed or gave up. */
export async function bringBack(runner: ChildProcess): Promise<ChildProcess> {
  let running = runner;
  for (const began_ms = Date.now(); Date.now() - began_ms < PATIENCE_MS; await sleep(100)) {
    if (hasEnded(running)) running = await startRunner();
    const answered = await sendCall("GET", "/v4/users/recommend?limit=1").catch(() => undefined);
    if (answered?.status === 200) return running;
  }
  throw new Error(`the site did not answer within ${PATIENCE_MS / 60_000} minutes`);
}

/** Ends a runner in peace. */
export async function stopRunner(runner: ChildProcess): Promise<void> {
  if (hasEnded(runner)) return;
  runner.kill("SIGTERM");
  await once(runner, "exit");
}
