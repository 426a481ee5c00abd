/** Tests that the runner calls its workers and fires their clocks, and lives on while workerd hangs. */
import { type ChildProcess, spawn } from "node:child_process";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callWorker, fireClock, insideWorker } from "../../scripts/inside.ts";
import { HOST } from "../../scripts/local-vars.ts";
import { type ProcessMark, workerdsOf } from "../../scripts/processes.ts";
import { waitUntil } from "../support/wait.ts";

const contents = `export default {
  async fetch(request) {
    return new Response(request.method + request.headers.get("x-test") + (await request.text()), { status: 207 });
  },
  scheduled({ cron }) {
    if (cron !== "* * * * *") throw new Error("not our clock");
  },
};`;
const broken = 'export default { scheduled() { throw new Error("broken"); } };';
const workerOf = (name: string, contents: string) => ({
  name,
  compatibilityDate: "2026-10-01",
  modules: [{ type: "ESModule" as const, path: "worker.mjs", contents }],
});

let miniflare: Miniflare;
let workerd: ProcessMark;
let waker: ChildProcess | undefined;
beforeAll(async () => {
  const others = workerdsOf().map(({ pid }) => pid);
  const workers = [workerOf("sound", contents), workerOf("broken", broken), insideWorker(["sound", "broken"])];
  miniflare = new Miniflare(convertV4MiniflareOptions({ host: HOST, port: 0, cf: false, workers }));
  await miniflare.ready;
  workerd = workerdsOf().find(({ pid }) => !others.includes(pid)) as ProcessMark;
});
afterAll(async () => {
  waker?.kill();
  process.kill(workerd.pid, "SIGCONT");
  await miniflare.dispose();
});

// First, because Miniflare blocks at the first use of a worker since its start.
test("a clock that is fired at a workerd that hangs does not stop this process", async () => {
  process.kill(workerd.pid, "SIGSTOP");
  // Otherwise a process that is stopped could not even fail this test.
  waker = spawn("sh", ["-c", `sleep 20; kill -CONT ${workerd.pid}`]);
  const fired = fireClock(miniflare, "sound");
  let turns = 0;
  const timer = setInterval(() => turns++, 10);
  await waitUntil(() => expect(turns).toBeGreaterThanOrEqual(50));
  clearInterval(timer);
  expect(waker.exitCode).toBeNull();
  process.kill(workerd.pid, "SIGCONT");
  expect(await fired).toBe("ok");
});

test("a request reaches a worker, and its answer is passed on", async () => {
  const call = { url: "http://sound.internal/", method: "PUT", headers: { "x-test": "1" }, body: "体" };
  expect(await callWorker(miniflare, "sound", call)).toEqual({ status: 207, text: "PUT1体" });
});

test("a handler is called, and its outcome is passed on", async () => {
  expect(await fireClock(miniflare, "sound")).toBe("ok");
  expect(await fireClock(miniflare, "broken")).toBe("exception");
});
