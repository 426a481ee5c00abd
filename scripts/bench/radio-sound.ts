/** How long a listener waits for the first sound, and how far the sound is behind, heard by the tone in a real Chromium. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright";
import { mintSessionCookies } from "../../tests/support/session.ts";
import { encodeChunk, SAMPLE_RATE } from "../../workers/contract/sound-chunks.ts";
import { findBrowser } from "../browser.ts";
import { DEMO_PASSWORD, demoEmail } from "../demo/seed.ts";
import type { startNetwork } from "../network.ts";
import { medianOf } from "./figures.ts";
import { TONE_MS, toneAt, toneFile, toneFrequencies, tonePacket } from "./tones.ts";

export type Network = Awaited<ReturnType<typeof startNetwork>>;

/** When a tone began, by the clock of this machine. */
interface Edge {
  tone: number;
  at_ms: number;
}

/** A radio on air, and the moments when its tones were made. */
export interface ToneRadio {
  path: string;
  listEdges(): Promise<Edge[]>;
  stop(): Promise<void>;
}

/** Chromium with a microphone that plays the tones. */
export async function launchWithTones(folder: string): Promise<Browser> {
  const file = join(folder, "tones.wav");
  writeFileSync(file, toneFile());
  return chromium.launch({
    executablePath: await findBrowser(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--autoplay-policy=no-user-gesture-required",
      "--use-fake-device-for-media-stream",
      "--use-fake-ui-for-media-stream",
      `--use-file-for-fake-audio-capture=${file}`,
    ],
  });
}

/** What {@link hearTones} leaves in the page. */
interface Hearing {
  edges: Edge[];
  /** When the first tone was heard. */
  first_ms: number | null;
  /** How long no tone was heard since then, in pieces of {@link GAP_MS} or more. */
  silent_ms: number;
}

/** A pause that a listener notices. Two tones and the packets between them are closer. */
const GAP_MS = 150;

/** Runs in a page. Finds the tone that a node plays, every ten milliseconds, until the page is closed. */
function hearTones([frequencies, gap_ms]: [number[], number]): void {
  const scope = globalThis as unknown as {
    hearing: Hearing;
    listenTo(context: AudioContext, source: AudioNode): void;
  };
  const hearing: Hearing = { edges: [], first_ms: null, silent_ms: 0 };
  scope.hearing = hearing;
  scope.listenTo = (context, source) => {
    const analyser = new AnalyserNode(context, { fftSize: 1024 });
    source.connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let last: { tone: number; at_ms: number } | null = null;
    const energyOf = (frequency: number) => {
      const step = (2 * Math.PI * frequency) / context.sampleRate;
      let [real, imaginary] = [0, 0];
      samples.forEach((sample, at) => {
        real += sample * Math.cos(step * at);
        imaginary += sample * Math.sin(step * at);
      });
      return real ** 2 + imaginary ** 2;
    };
    setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      const at_ms = Date.now();
      const power = samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length;
      if (power < 1e-5) return;
      const energies = frequencies.map(energyOf);
      const tone = energies.indexOf(Math.max(...energies));
      if (last && at_ms - last.at_ms > gap_ms) hearing.silent_ms += at_ms - last.at_ms;
      if (last?.tone !== tone) hearing.edges.push({ tone, at_ms });
      hearing.first_ms ??= at_ms;
      last = { tone, at_ms };
    }, 10);
  };
}

const installHearing = (page: Page) =>
  page.addInitScript(`(${hearTones.toString()})(${JSON.stringify([toneFrequencies, GAP_MS])})`);
const readHearing = (page: Page) => page.evaluate(() => (globalThis as unknown as { hearing: Hearing }).hearing);

async function openAs(browser: Browser, network: Network, link_id: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 375, height: 812 } });
  const cookies = await mintSessionCookies(network, { email: demoEmail(link_id), password: DEMO_PASSWORD });
  const { url } = network;
  await page
    .context()
    .addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url, httpOnly: true })));
  return page;
}

/** A caller of `/v4` for one person. Throws when the answer is no success. */
async function callerOf({ url, secrets }: Network, link_id: string) {
  const response = await fetch(
    `${url}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${secrets.IDENTITY_API_KEY}`,
    {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: demoEmail(link_id), password: DEMO_PASSWORD, returnSecureToken: true }),
    },
  );
  const { idToken } = (await response.json()) as { idToken: string };
  // biome-ignore lint/suspicious/noExplicitAny: each caller reads the fields of its own call.
  return async (method: string, path: string, body?: object): Promise<any> => {
    const headers = { authorization: `Bearer ${idToken}`, "content-type": "application/json" };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text && JSON.parse(text);
  };
}

async function createRadio(network: Network, link_id: string): Promise<{ radio_id: string; call: Caller }> {
  const call = await callerOf(network, link_id);
  const { radio } = await call("POST", "/v4/radios", { title: "計測", publish_target_type: "public" });
  return { radio_id: radio.radio_id, call };
}

type Caller = Awaited<ReturnType<typeof callerOf>>;

/** Goes on air from the broadcaster's page in Chromium, which encodes Opus. */
export async function broadcastFromPage(browser: Browser, network: Network, link_id: string): Promise<ToneRadio> {
  const { radio_id } = await createRadio(network, link_id);
  const page = await openAs(browser, network, link_id);
  await installHearing(page);
  await page.addInitScript(() => {
    const devices = navigator.mediaDevices;
    const open = devices.getUserMedia.bind(devices);
    devices.getUserMedia = async (constraints) => {
      // Noise suppression takes a steady tone for noise.
      const audio = {
        ...(constraints?.audio as MediaTrackConstraints),
        echoCancellation: false,
        noiseSuppression: false,
        autoGainControl: false,
      };
      const stream = await open({ ...constraints, audio });
      const context = new AudioContext();
      const scope = globalThis as unknown as { listenTo(context: AudioContext, source: AudioNode): void };
      scope.listenTo(context, new MediaStreamAudioSourceNode(context, { mediaStream: stream }));
      return stream;
    };
  });
  await page.goto(`${network.url}/my/radio/${radio_id}`);
  // The press starts a radio only when the page is hydrated.
  await page.waitForLoadState("networkidle");
  await page.getByRole("main").getByRole("button", { name: "放送を始める", exact: true }).click();
  await page.getByText("放送中です。").first().waitFor();
  return {
    path: `/${link_id}/radios/${radio_id}`,
    listEdges: async () => (await readHearing(page)).edges,
    stop: () => page.close(),
  };
}

const AAC_PACKETS = 24;
const PACKET_MS = (1024 * 1000) / SAMPLE_RATE;

/** Goes on air with made packets of AAC, which Chromium on Linux cannot encode, as fast as a recorder makes them. */
export async function broadcastTones(network: Network, link_id: string): Promise<ToneRadio> {
  const { radio_id, call } = await createRadio(network, link_id);
  await call("POST", `/v4/radios/${radio_id}/start`);
  const { ingest } = await call("POST", `/v4/radios/${radio_id}/sound`);
  const socket = new WebSocket(network.url.replace(/^http/, "ws") + ingest.path);
  await new Promise((open) => socket.addEventListener("open", open));
  const began_ms = Date.now();
  let number = 0;
  const sendDue = () => {
    while (Date.now() - began_ms >= (number + AAC_PACKETS) * PACKET_MS) {
      const packets = Array.from({ length: AAC_PACKETS }, (_, packet) => tonePacket(number + packet));
      const captured_ms = Math.round(number * PACKET_MS);
      const seq = number / AAC_PACKETS;
      socket.send(encodeChunk({ track: "aac", epoch: ingest.epoch, seq, captured_ms, packets }));
      number += AAC_PACKETS;
    }
  };
  const recorder = setInterval(sendDue, 5);
  return {
    path: `/${link_id}/radios/${radio_id}`,
    async listEdges() {
      const tones = Math.floor((Date.now() - began_ms) / TONE_MS);
      return Array.from({ length: tones }, (_, count) => ({
        tone: toneAt(count * TONE_MS),
        at_ms: began_ms + count * TONE_MS,
      }));
    },
    async stop() {
      clearInterval(recorder);
      socket.close();
    },
  };
}

/** Without a script the page plays ADTS. HLS is what it plays when too many have that stream, or by its link. */
export type Player = "MSE" | "HLS" | "ADTS without script";

/** The source that a browser without our script is left with. MSE is our script. */
const SOURCE_TYPES: Record<Player, string | null> = {
  MSE: null,
  HLS: "application/vnd.apple.mpegurl",
  "ADTS without script": "audio/aac",
};

interface SlowNetwork {
  bits_per_s: number;
  round_trip_ms: number;
}

export interface Listening {
  /** From the press on play to the first tone. */
  start_ms: number;
  /** Between the tone of the microphone and the heard one: the median of the last ten tones. */
  latency_ms: number;
  /** How long no sound was heard after the start. */
  silent_ms: number;
  /** What the browser plays. */
  source: string;
}

/** Opens the page of a radio as a visitor, presses play, and listens for some seconds. */
export async function listenTo(
  browser: Browser,
  network: Network,
  radio: ToneRadio,
  { player, seconds, slow }: { player: Player; seconds: number; slow?: SlowNetwork },
): Promise<Listening> {
  const context = await browser.newContext({ viewport: { width: 375, height: 812 } });
  const page = await context.newPage();
  try {
    await installHearing(page);
    // The plain player is that of a browser without our script.
    if (player !== "MSE") await page.route(/\.js$/, (route) => route.abort());
    await page.goto(network.url + radio.path, { waitUntil: "networkidle" });
    if (slow) {
      const cdp = await context.newCDPSession(page);
      const bytes_per_s = slow.bits_per_s / 8;
      await cdp.send("Network.enable");
      await cdp.send("Network.emulateNetworkConditions", {
        offline: false,
        latency: slow.round_trip_ms,
        downloadThroughput: bytes_per_s,
        uploadThroughput: bytes_per_s,
      });
    }
    const pressed_ms = await page.evaluate((type) => {
      const audio = document.querySelector("audio") as HTMLAudioElement;
      for (const source of type ? audio.querySelectorAll("source") : []) {
        source.removeAttribute("media");
        if (source.type !== type) source.remove();
      }
      if (type) audio.load();
      const context = new AudioContext();
      const source = new MediaElementAudioSourceNode(context, { mediaElement: audio });
      source.connect(context.destination);
      const scope = globalThis as unknown as { listenTo(context: AudioContext, source: AudioNode): void };
      scope.listenTo(context, source);
      const pressed_ms = Date.now();
      audio.play().catch(() => {});
      return pressed_ms;
    }, SOURCE_TYPES[player]);
    await sleep(seconds * 1000);
    const [heard, made, source] = await Promise.all([
      readHearing(page),
      radio.listEdges(),
      page.evaluate(() => (document.querySelector("audio") as HTMLAudioElement).currentSrc),
    ]);
    // The tone of the start was cut in two.
    const latencies = heard.edges.slice(1).flatMap(({ tone, at_ms }) => {
      const edge = made.findLast((edge) => edge.tone === tone && edge.at_ms <= at_ms);
      return edge ? [at_ms - edge.at_ms] : [];
    });
    return {
      start_ms: heard.first_ms === null ? Number.POSITIVE_INFINITY : heard.first_ms - pressed_ms,
      latency_ms: Math.round(medianOf(latencies.slice(-10))),
      silent_ms: heard.silent_ms,
      source: source.startsWith("blob:") ? "script" : source.replace(/^.*\//, ""),
    };
  } finally {
    await context.close();
  }
}
