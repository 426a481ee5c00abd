import type { Page } from "playwright/test";
import { connectSender } from "../../tests/radio/sender.ts";
import { api, demoToken } from "../../tests/support/network.ts";
import type { Radio } from "../../workers/contract/radios.ts";
import { PACKET_SAMPLES, type TrackName } from "../../workers/contract/sound-chunks.ts";
import { tracks } from "../../workers/radio/containers/track.ts";
import type { Person } from "./test.ts";

const CHUNK_PACKETS: Record<TrackName, number> = { opus: 25, aac: 24 };
const CHUNK_MS = 500;
/** The chunks that are sent at once, so that players begin soon: six seconds. */
const FIRST_CHUNKS = 12;

type Network = NonNullable<Parameters<typeof demoToken>[1]>;

export interface RadioOnAir {
  radio_id: string;
  path: string;
  /** Ends the radio. Its recording is complete soon after. */
  finish(): Promise<void>;
}

/** Starts a radio of a demo creator, whose recorder sends silence to the end, in packets that every decoder takes. */
export async function goOnAir(
  network: Network,
  link_id: string,
  title: string,
  others: Partial<Radio> = {},
): Promise<RadioOnAir> {
  const token = await demoToken(link_id, network);
  const call = async (method: string, path: string, body?: unknown) => {
    const { status, json, text } = await api(method, path, { token, body, network });
    if (status >= 300) throw new Error(`${method} ${path} answered ${text}`);
    // biome-ignore lint/suspicious/noExplicitAny: three answers, of which it reads a field each.
    return json as any;
  };
  const audiences = { publish_target_type: "public", recording_publish_target_type: "public" };
  const transcript = "こんばんは。今夜は静かな放送です。";
  const { radio } = await call("POST", "/v4/radios", { title, ...audiences, transcript, ...others });
  const of_radio = `/v4/radios/${radio.radio_id}`;
  await call("POST", `${of_radio}/start`);
  const { ingest } = await call("POST", `${of_radio}/sound`);
  const sender = await connectSender(network.url + ingest.path);
  let seq = 0;
  const chunksOf = (number: number) =>
    (["opus", "aac"] as const).map((track) => ({
      track,
      epoch: ingest.epoch as number,
      seq: number,
      captured_ms: Math.round((number * CHUNK_PACKETS[track] * PACKET_SAMPLES[track]) / 48),
      packets: Array.from({ length: CHUNK_PACKETS[track] }, () => tracks[track].silence),
    }));
  await sender.deliver(...Array.from({ length: FIRST_CHUNKS }, () => chunksOf(seq++)).flat());
  const recorder = setInterval(() => {
    for (const chunk of chunksOf(seq++)) sender.send(chunk);
  }, CHUNK_MS);
  return {
    radio_id: radio.radio_id,
    path: `/${link_id}/radios/${radio.radio_id}`,
    async finish() {
      clearInterval(recorder);
      sender.close();
      await call("POST", `${of_radio}/finish`);
    },
  };
}

/** Presses play. The player's own button is no element of the page. */
export const pressPlay = ({ page }: Person) =>
  // A script that takes over the element ends the promise of the press.
  page.locator("audio").evaluate((audio) => void (audio as HTMLAudioElement).play().catch(() => {}));

/** Returns what the browser plays now. */
export const playing = ({ page }: Person) =>
  page.locator("audio").evaluate((element) => {
    const audio = element as HTMLAudioElement;
    const { currentTime: time_s, currentSrc: source, playbackRate: rate } = audio;
    return { time_s, source, is_by_script: source.startsWith("blob:"), rate };
  });

/**
 * Returns the loudest sample of the segments of HLS that players load now, from 0 to 1. Packets of silence
 * have 0, and so has a radio whose segments are not there.
 *
 * @param page shows the page of a live radio.
 */
export const peakWithoutScript = (page: Page): Promise<number> =>
  page
    .locator('audio source[src*=".m3u8"]')
    .first()
    .evaluate(async (source) => {
      const playlist_url = (source as HTMLSourceElement).src;
      const lines = (await (await fetch(playlist_url)).text()).split("\n");
      const init = lines.find((line) => line.startsWith("#EXT-X-MAP"))?.match(/URI="([^"]+)"/)?.[1] ?? "";
      const segments = lines.filter((line) => line.endsWith(".m4s"));
      if (segments.length === 0) return 0;
      const names = [init, ...segments];
      const answers = await Promise.all(names.map((name) => fetch(new URL(name, playlist_url))));
      // On a busy machine, the oldest segment may be gone by now.
      if (!answers.every(({ ok }) => ok)) return 0;
      const parts = await Promise.all(answers.map((answer) => answer.arrayBuffer()));
      const context = new OfflineAudioContext(1, 1, 48_000);
      const sound = await context.decodeAudioData(await new Blob(parts).arrayBuffer());
      return sound.getChannelData(0).reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
    });
