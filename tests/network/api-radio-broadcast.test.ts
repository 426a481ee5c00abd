import { beforeAll, expect, test } from "vitest";
import {
  createRadio,
  deleteRadioRecording,
  finishRadio,
  getRadio,
  getRadioBroadcast,
  openRadioSound,
  startRadio,
} from "../../workers/contract/radios.ts";
import { connectSender, madeChunk } from "../radio/sender.ts";
import { type Browser, database, freshMember, type Member, network, openBrowserAs, tick } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, refused } from "./support/calls.ts";

/** A broadcast through the whole network: the record, the sound, the recording and its file. */

let owner: Member;
let fan: Member;
beforeAll(async () => {
  [owner, fan] = await Promise.all([freshMember("放送する人"), freshMember("聴く人")]);
});

const CHUNKS = 12;

/** Broadcasts six seconds of sound, and ends the radio. */
async function broadcastOnce() {
  const { token } = owner;
  const body = { title: "夜ふかし缶詰（その1）", publish_target_type: "public" as const };
  const params = { radio_id: (await ask(createRadio, { token, body })).radio.radio_id };
  await refused(openRadioSound, "radio_transition_refused", { token, params });
  await ask(startRadio, { token, params });
  await refused(openRadioSound, "not_found", { token: fan.token, params });
  const { ingest } = await ask(openRadioSound, { token, params });
  const sender = await connectSender((await network()).url + ingest.path);
  for (let seq = 0; seq < CHUNKS; seq++) await sender.deliver(madeChunk("aac", ingest.epoch, seq));
  const { broadcast } = await ask(getRadioBroadcast, { token, params });
  const { radio } = await ask(getRadio, { token, params });
  expect(broadcast.status).toBe("on_air");
  expect(Date.parse(broadcast.last_signal_at ?? "")).toBeGreaterThanOrEqual(Date.parse(radio.started_at ?? ""));
  sender.close();
  expect((await ask(finishRadio, { token, params })).radio.recording_state).toBe("processing");
  await refused(openRadioSound, "radio_transition_refused", { token, params });
  const begun = (await database())
    .prepare("SELECT 1 FROM outbox WHERE payload LIKE ? AND attempts > 0")
    .bind(`%${params.radio_id}%`);
  return waitUntil(async () => {
    // The first reaction gives up after three seconds, and the clock continues.
    if (await begun.first()) await tick();
    const { recording_state } = (await ask(getRadioBroadcast, { token, params })).broadcast;
    expect(recording_state).toBe("completed");
    return params;
  });
}

/** Loads a file as a browser's player does. */
async function load({ cookies }: Browser, path: string, headers: Record<string, string> = {}) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const response = await fetch((await network()).url + path, { headers: { cookie, ...headers } });
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}

test("records what was sent, for its owner to hear in ranges, to download and to delete", async () => {
  const params = await broadcastOnce();
  const { token } = owner;
  const { recording } = (await ask(getRadioBroadcast, { token, params })).broadcast;
  // 12 chunks of 24 packets of 1,024 samples.
  expect(recording?.duration_ms).toBe(Math.round((CHUNKS * 24 * 1024) / 48));
  const path = recording?.path ?? "";
  const [own, others] = await Promise.all([openBrowserAs(owner), openBrowserAs(fan)]);
  const whole = await load(own, path);
  expect([whole.status, whole.headers.get("content-type")]).toEqual([200, "audio/mp4"]);
  const { bytes } = whole;
  expect(bytes.length).toBe(recording?.bytes);
  const part = await load(own, path, { range: "bytes=100-199" });
  expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 100-199/${bytes.length}`]);
  expect(part.bytes).toEqual(bytes.slice(100, 200));
  const saved = await load(own, `${path}&download`);
  expect(decodeURIComponent(saved.headers.get("content-disposition") ?? "")).toBe(
    "attachment; filename*=UTF-8''夜ふかし缶詰（その1）.m4a",
  );
  expect((await load(others, path)).status).toBe(404);
  expect((await load(own, path.replace(/\?.*/, ""))).status).toBe(404);

  await refused(deleteRadioRecording, "not_found", { token: fan.token, params });
  await ask(deleteRadioRecording, { token, params });
  expect((await ask(getRadioBroadcast, { token, params })).broadcast.recording).toBe(null);
  expect((await load(own, path)).status).toBe(404);
});
