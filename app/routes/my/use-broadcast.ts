import { type RefObject, useEffect, useRef, useState } from "react";
import type { TrackName } from "../../../workers/contract/sound-chunks.ts";
import type { Broadcast } from "../../radio/broadcast.ts";
import type { BroadcastState } from "../../radio/broadcast-state.ts";
import type { MicrophoneChoice, MicrophoneSettings } from "../../radio/microphone.ts";
import { NOT_STARTED, openSound, SoundRefused } from "./open-sound.ts";

/**
 * What the page shows of the broadcast of this document. `delayed_s`: the seconds of sound that wait for a slow or lost
 * network.
 */
export type Broadcasting =
  | { phase: "idle"; error: string | null }
  | { phase: "opening" }
  | Live
  | { phase: "ending"; delayed_s: number };

interface Live {
  phase: "live";
  state: BroadcastState["kind"];
  words: string;
  delayed_s: number;
  is_muted: boolean;
  has_aac: boolean;
}

/** The recorder, its words and its microphones. Loaded on the first press, so that it costs nothing before. */
const loadRecorder = () => import("../../radio/broadcast.ts");
type Recorder = Awaited<ReturnType<typeof loadRecorder>>;

/**
 * The broadcast of this document: goes on air, continues a radio that is on air, and ends. Leaving the page ends it.
 *
 * @param meter shows the level of the microphone.
 * @param onChange called when the radio may have another state.
 * @param onEnd called with the words about the end, and with null at the next start. The radio's new state may replace the
 * panel at once, so the page keeps them.
 */
export function useBroadcast(
  radio_id: string,
  meter: RefObject<HTMLMeterElement | null>,
  onChange: () => void,
  onEnd: (words: string | null) => void,
) {
  const [shown, setShown] = useState<Broadcasting>({ phase: "idle", error: null });
  const [microphones, setMicrophones] = useState<MicrophoneChoice[]>([]);
  const live = useRef<Broadcast>(null);
  const is_left = useRef(false);
  useEffect(() => {
    is_left.current = false;
    return () => {
      is_left.current = true;
      void live.current?.end();
    };
  }, []);

  const onLevel = (level: number) => {
    // Falls slowly, so that the eye can follow.
    if (meter.current) meter.current.value = Math.max(level, meter.current.value * 0.92);
  };
  const listMicrophones = async () => {
    const recorder = await loadRecorder();
    setMicrophones(await recorder.listMicrophones().catch(() => []));
  };

  return {
    shown,
    microphones,
    listMicrophones,
    async start(microphone: MicrophoneSettings) {
      setShown({ phase: "opening" });
      onEnd(null);
      try {
        const recorder = await loadRecorder();
        const onState = (state: BroadcastState) => {
          if (state.kind === "ended") live.current = null;
          showState(recorder, state, { setShown, onChange, onEnd });
        };
        const openIngest = () => openSound(radio_id);
        const onTracks = (tracks: readonly TrackName[]) =>
          setShown((before) => (before.phase === "live" ? { ...before, has_aac: tracks.includes("aac") } : before));
        const broadcast = await recorder.startBroadcast({ openIngest, microphone, onState, onLevel, onTracks });
        if (is_left.current) return broadcast.end();
        live.current = broadcast;
        onChange();
        await listMicrophones();
      } catch (error) {
        setShown({ phase: "idle", error: await wordsOf(error) });
        // The radio may be on air although the answer was lost.
        onChange();
      }
    },
    setMuted(is_muted: boolean) {
      live.current?.setMuted(is_muted);
      setShown((before) => (before.phase === "live" ? { ...before, is_muted } : before));
    },
    async changeMicrophone(microphone: MicrophoneSettings) {
      // A microphone that cannot be opened ends the broadcast, and onState shows why.
      await live.current?.changeMicrophone(microphone).catch(() => {});
    },
    /** Sends the last words. Call it before the radio is finished. */
    async end() {
      setShown((before) => ({ phase: "ending", delayed_s: before.phase === "live" ? before.delayed_s : 0 }));
      await live.current?.end();
    },
    isLive: () => live.current !== null,
  };
}

/** Shows a state of the broadcast. */
export function showState(
  { broadcastWords, delayedSeconds, endWords }: Pick<Recorder, "broadcastWords" | "delayedSeconds" | "endWords">,
  state: BroadcastState,
  page: {
    setShown(next: Broadcasting | ((before: Broadcasting) => Broadcasting)): void;
    onChange(): void;
    onEnd(words: string | null): void;
  },
): void {
  if (state.kind === "ended") {
    page.setShown({ phase: "idle", error: null });
    page.onEnd(endWords(state));
    page.onChange();
    return;
  }
  const delayed_s = state.kind === "connecting" ? 0 : delayedSeconds(state);
  page.setShown((before) => {
    if (before.phase === "ending") return { ...before, delayed_s };
    const { is_muted, has_aac } = before.phase === "live" ? before : { is_muted: false, has_aac: true };
    return { phase: "live", state: state.kind, words: broadcastWords(state), delayed_s, is_muted, has_aac };
  });
}

async function wordsOf(error: unknown): Promise<string> {
  if (error instanceof SoundRefused) return error.message;
  const recorder = await loadRecorder().catch(() => null);
  if (recorder && error instanceof recorder.MicrophoneUnavailable) return recorder.OBSTACLE_WORDS[error.obstacle];
  console.warn("the broadcast did not start", error);
  return NOT_STARTED;
}
