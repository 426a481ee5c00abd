import { SAMPLE_RATE, TRACK_NAMES, type TrackName } from "../../workers/contract/sound-chunks.ts";
import { hasOurFormat, isPlayablePacket } from "./packets.ts";
import type { OpenEncoder } from "./recorder.ts";
import { openWorkerEncoder } from "./worker-encoder.ts";

const MONO = { sampleRate: SAMPLE_RATE, numberOfChannels: 1 };
const AAC = { ...MONO, codec: "mp4a.40.2", aac: { format: "aac" } } as const;

/** The configurations of each track, best first. Media Foundation (Windows) encodes AAC from 96 kbit/s on only. */
const CONFIGS: Readonly<Record<TrackName, readonly AudioEncoderConfig[]>> = {
  opus: [{ ...MONO, codec: "opus", bitrate: 32_000, opus: { format: "opus", frameDuration: 20_000 } }],
  aac: [
    { ...AAC, bitrate: 64_000 },
    { ...AAC, bitrate: 96_000 },
  ],
};

/** Returns how this browser can encode each track, by WebCodecs. Empty when it cannot broadcast. */
export async function findEncoders(): Promise<ReadonlyMap<TrackName, AudioEncoderConfig>> {
  const found = new Map<TrackName, AudioEncoderConfig>();
  if (typeof AudioEncoder === "undefined") return found;
  for (const track of TRACK_NAMES) {
    for (const config of CONFIGS[track]) {
      // Some versions throw at a codec that they do not know.
      const support = await AudioEncoder.isConfigSupported(config).catch(() => null);
      if (support?.supported && !found.has(track)) found.set(track, config);
    }
  }
  return found;
}

/** Returns a function that opens the browser's encoders, and our own for AAC when the browser has none. */
export function encodersOf(configs: ReadonlyMap<TrackName, AudioEncoderConfig>): OpenEncoder {
  const openOfBrowser = webCodecsEncoders(configs);
  return (track, events) =>
    track === "aac" && !configs.has(track) ? openWorkerEncoder(events) : openOfBrowser(track, events);
}

function webCodecsEncoders(configs: ReadonlyMap<TrackName, AudioEncoderConfig>): OpenEncoder {
  return (track, { onPacket, onError }) => {
    const config = configs.get(track);
    if (!config) return null;
    let samples_so_far = 0;
    let is_failed = false;
    const fail = () => {
      if (is_failed) return;
      is_failed = true;
      if (encoder.state !== "closed") encoder.close();
      onError();
    };
    const encoder = new AudioEncoder({
      output: (chunk, metadata) => {
        const packet = new Uint8Array(chunk.byteLength);
        chunk.copyTo(packet);
        if (!isPlayablePacket(track, packet) || !isOurTrack(track, metadata)) fail();
        else onPacket(packet);
      },
      error: fail,
    });
    encoder.configure(config);
    return {
      encode(samples) {
        if (encoder.state !== "configured") return;
        const timestamp = Math.round((samples_so_far * 1_000_000) / SAMPLE_RATE);
        samples_so_far += samples.length;
        const data = new AudioData({
          ...MONO,
          format: "f32-planar",
          numberOfFrames: samples.length,
          timestamp,
          data: samples,
        });
        encoder.encode(data);
        data.close();
      },
      flush: async () => {
        if (encoder.state === "configured") await encoder.flush();
      },
      close() {
        is_failed = true;
        if (encoder.state !== "closed") encoder.close();
      },
    };
  };
}

/** Whether packets fit the container that the server writes. Only the first output of an encoder says it. */
function isOurTrack(track: TrackName, metadata: EncodedAudioChunkMetadata | undefined): boolean {
  const description = metadata?.decoderConfig?.description;
  if (track !== "aac" || !description) return true;
  return hasOurFormat(
    ArrayBuffer.isView(description)
      ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
      : new Uint8Array(description),
  );
}
