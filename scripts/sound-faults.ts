/**
 * `npm run test:sound-faults`: a broadcaster sends numbered packets for some minutes, while workerd and the runner are killed, the
 * network drops for eight seconds or resets, the page is opened again, and its clock jumps. The recording must then have every
 * packet that was acknowledged, once and in order, and every packet that was sent. A longer run:
 * `SOUND_FAULTS=200 npm run test:sound-faults`; `SOUND_FAULT_SEED` repeats the moments of a run.
 */
import type { ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { readSamples } from "../tests/radio/boxes.ts";
import { buildIfStale } from "./build.ts";
import { compareRecording, NumberedBroadcast, openNetwork, randomNumbers, readPacketName } from "./faults/broadcast.ts";
import {
  bringBack,
  callOrThrow,
  createFan,
  data_dir,
  type Fan,
  killWorkerds,
  origin,
  startRunner,
  stopRunner,
} from "./faults/site.ts";
import { reportStep } from "./steps.ts";

const FAULTS = Number(process.env.SOUND_FAULTS || 20);
const SEED = Number(process.env.SOUND_FAULT_SEED || randomInt(2 ** 31));
const CHUNK_MS = 512;
/** Source: issue 17, "8 s network drop". */
const DROP_MS = 8000;
/** The time between two faults: until the sender has connected again, and before. */
const CALM_MS = 6000;
const PATIENCE_MS = 4 * 60_000;

const KINDS = ["workerd", "runner", "drop", "reset", "page", "clock"] as const;

const draw = randomNumbers(SEED);
const network = await openNetwork(() => origin);
const pages: NumberedBroadcast[] = [];

async function openPage(creator: Fan, radio: string): Promise<void> {
  const token = await creator.freshToken();
  const { ingest } = await callOrThrow<{ ingest: { path: string; epoch: number } }>("POST", `${radio}/sound`, {
    token,
  });
  pages.push(new NumberedBroadcast(network.origin, ingest));
}

/** Makes one fault. Returns the runner, which may be a new one. */
async function makeFault(
  kind: (typeof KINDS)[number],
  runner: ChildProcess,
  reopen: () => Promise<void>,
): Promise<ChildProcess> {
  if (kind === "workerd") killWorkerds();
  if (kind === "runner") {
    runner.kill("SIGKILL");
    await once(runner, "exit");
    // A workerd whose runner was killed continues to take sound.
    await sleep(draw() * 1000);
  }
  if (kind === "drop") {
    network.cut();
    await sleep(DROP_MS);
    network.mend();
  }
  if (kind === "reset") network.reset();
  if (kind === "page") await reopen();
  if (kind === "clock") pages.at(-1)?.jump((draw() - 0.5) * 2 * 3_600_000);
  return kind === "workerd" || kind === "runner" ? bringBack(runner) : runner;
}

/** Returns the packets of the recording, silence included as null. */
async function downloadRecording(radio: string): Promise<(string | null)[]> {
  for (const began_ms = Date.now(); Date.now() - began_ms < PATIENCE_MS; await sleep(1000)) {
    const { sound } = await callOrThrow<{ sound: { recording: { path: string } | null } }>("GET", `${radio}/sound`);
    if (!sound.recording) continue;
    const answer = await fetch(origin + sound.recording.path);
    if (!answer.ok) throw new Error(`the recording answered ${answer.status}: ${await answer.text()}`);
    return readSamples(new Uint8Array(await answer.arrayBuffer())).map(readPacketName);
  }
  throw new Error("there is no recording");
}

const built = await buildIfStale();
if (built && !built.passed) {
  reportStep(built);
  process.exit(1);
}
let runner: ChildProcess | undefined;
let speaking: ReturnType<typeof setInterval> | undefined;
try {
  runner = await startRunner();
  const creator = await createFan();
  const token = await creator.freshToken();
  // Everybody may hear the recording, so that its address needs no session.
  const body = { title: "障害テスト", publish_target_type: "public", recording_publish_target_type: "public" };
  const created = await callOrThrow<{ radio: { radio_id: string } }>("POST", "/v4/radios", { token, body });
  const radio = `/v4/radios/${created.radio.radio_id}`;
  await callOrThrow("POST", `${radio}/start`, { token });
  await openPage(creator, radio);
  speaking = setInterval(() => pages.at(-1)?.speak(), CHUNK_MS);
  for (let fault = 1; fault <= FAULTS; fault++) {
    await sleep(draw() * CALM_MS);
    const kind = KINDS[Math.floor(draw() * KINDS.length)] ?? "workerd";
    const began_ms = Date.now();
    runner = await makeFault(kind, runner, () => openPage(creator, radio));
    console.log(`fault ${fault}: ${kind}, ${Date.now() - began_ms} ms`);
  }
  clearInterval(speaking);
  const unacked = (await pages.at(-1)?.drain(PATIENCE_MS)) ?? 0;
  await callOrThrow("POST", `${radio}/finish`, { token: await creator.freshToken() });
  const recorded = await downloadRecording(radio);
  const packets = recorded.filter((name) => name !== null);
  const of_pages = pages.map((page) => page.listPackets());
  const faults = compareRecording(packets, of_pages);
  if (unacked > 0) faults.push(`${unacked} chunks of the last page were not acknowledged`);
  const [sent, acked] = [of_pages.flatMap((page) => page.sent), of_pages.flatMap((page) => page.acked)];
  // A page that another one replaced may have sent half a second that nobody acknowledged.
  const last = of_pages.at(-1)?.sent ?? [];
  const missing = last.filter((name) => !packets.includes(name)).length;
  if (missing > 0) faults.push(`${missing} packets of the last page are not in the recording`);
  for (const fault of faults) console.log(fault);
  console.log(
    `${FAULTS} faults (seed ${SEED}), ${pages.length} pages: ${sent.length} packets sent, ${acked.length} acknowledged, ${packets.length} recorded, ${recorded.length - packets.length} of silence; load ${loadavg()[0]?.toFixed(1)}`,
  );
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  clearInterval(speaking);
  for (const page of pages) page.end();
  network.close();
  if (runner) await stopRunner(runner);
  rmSync(data_dir, { recursive: true, force: true });
}
