import { SAMPLE_RATE } from "../../workers/contract/sound-chunks.ts";
import { Resampler } from "./resampler.ts";

const WORKLET = "/radio-capture.js";

/** Why a microphone cannot be opened. */
export type MicrophoneObstacle = "unsupported" | "denied" | "missing" | "in_use";

/** What the page says about each obstacle. */
export const OBSTACLE_WORDS: Readonly<Record<MicrophoneObstacle, string>> = {
  unsupported: "このブラウザーでは放送できません。最新のChrome、Edge、Safari、Firefoxでお試しください。",
  denied: "マイクの使用が許可されていません。ブラウザーの設定で、このサイトに許可してください。",
  missing: "マイクが見つかりません。マイクをつないで、もう一度お試しください。",
  in_use: "マイクを使えませんでした。ほかのアプリがマイクを使っていないか確かめてください。",
};

/** Thrown by {@link openMicrophone}. */
export class MicrophoneUnavailable extends Error {
  readonly obstacle: MicrophoneObstacle;

  constructor(obstacle: MicrophoneObstacle) {
    super(`the microphone is unavailable: ${obstacle}`);
    this.obstacle = obstacle;
  }
}

export interface MicrophoneChoice {
  device_id: string;
  /** Empty until the person has allowed the microphone once. */
  label: string;
}

/** Which microphone, and what of its sound. */
export interface MicrophoneSettings {
  /** Null for the browser's own choice. */
  device_id: string | null;
  /**
   * Whether music and other sounds in the background are kept. Otherwise the browser reduces noise and echoes, because
   * most people speak into a phone.
   */
  keeps_background: boolean;
}

interface MicrophoneEvents {
  /** Gets 20 ms of mono samples at 48 kHz, and their peak from 0 to 1. */
  onSamples(samples: Float32Array<ArrayBuffer>, peak: number): void;
  /** The microphone was removed, or taken away by the browser. */
  onLost(): void;
}

export interface OpenMicrophone {
  /** The microphone that is used. It is another than the chosen one when that is not connected. */
  device_id: string | null;
  /** Continues after the system paused the sound, for example for a phone call. */
  resume(): void;
  /** Stops the microphone, so that the browser no longer shows it as used. */
  stop(): void;
}

/** Lists the microphones. Their names are empty until the person has allowed one. */
export async function listMicrophones(): Promise<MicrophoneChoice[]> {
  const devices = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
  return devices
    .filter(({ kind, deviceId }) => kind === "audioinput" && deviceId)
    .map(({ deviceId, label }) => ({ device_id: deviceId, label }));
}

/**
 * Asks for the microphone, and hands over its samples. Call it on a press: iOS starts no AudioContext otherwise.
 *
 * @throws {MicrophoneUnavailable}
 */
export async function openMicrophone(
  settings: MicrophoneSettings,
  { onSamples, onLost }: MicrophoneEvents,
): Promise<OpenMicrophone> {
  if (!navigator.mediaDevices || typeof AudioWorkletNode === "undefined")
    throw new MicrophoneUnavailable("unsupported");
  const stream = await askForStream(settings);
  const stopTracks = () => {
    for (const track of stream.getTracks()) track.stop();
  };
  try {
    const { context, source } = connectStream(stream);
    await context.audioWorklet.addModule(WORKLET);
    const capture = new AudioWorkletNode(context, "radio-capture", {
      channelCount: 1,
      channelCountMode: "explicit",
      outputChannelCount: [1],
    });
    const resampler = context.sampleRate === SAMPLE_RATE ? null : new Resampler(context.sampleRate);
    capture.port.onmessage = ({ data }: MessageEvent<{ samples: Float32Array<ArrayBuffer>; peak: number }>) => {
      onSamples(resampler?.take(data.samples) ?? data.samples, data.peak);
    };
    // Browsers run a node only while it leads to the destination. The worklet's own output is silent.
    source.connect(capture).connect(context.destination);
    const resume = () => void context.resume().catch(() => {});
    resume();
    const [track] = stream.getAudioTracks();
    track?.addEventListener("ended", onLost);
    return {
      device_id: track?.getSettings().deviceId ?? null,
      resume,
      stop() {
        capture.port.onmessage = null;
        track?.removeEventListener("ended", onLost);
        stopTracks();
        void context.close().catch(() => {});
      },
    };
  } catch {
    stopTracks();
    throw new MicrophoneUnavailable("unsupported");
  }
}

async function askForStream({ device_id, keeps_background }: MicrophoneSettings): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: {
        channelCount: { ideal: 1 },
        sampleRate: { ideal: SAMPLE_RATE },
        noiseSuppression: !keeps_background,
        echoCancellation: !keeps_background,
        autoGainControl: !keeps_background,
        ...(device_id && { deviceId: { ideal: device_id } }),
      },
    });
  } catch (error) {
    throw new MicrophoneUnavailable(obstacleOf(error));
  }
}

/** Source: Media Capture and Streams, section 10.2.1. */
function obstacleOf(error: unknown): MicrophoneObstacle {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError" || name === "SecurityError") return "denied";
  if (name === "NotFoundError" || name === "OverconstrainedError") return "missing";
  return name === "NotReadableError" || name === "AbortError" ? "in_use" : "unsupported";
}

/** Firefox connects a stream only to a context of the stream's own rate. */
function connectStream(stream: MediaStream): { context: AudioContext; source: MediaStreamAudioSourceNode } {
  const context = new AudioContext({ sampleRate: SAMPLE_RATE });
  try {
    return { context, source: context.createMediaStreamSource(stream) };
  } catch {
    void context.close();
    const { sampleRate } = stream.getAudioTracks()[0]?.getSettings() ?? {};
    const own = new AudioContext(sampleRate ? { sampleRate } : {});
    return { context: own, source: own.createMediaStreamSource(stream) };
  }
}
