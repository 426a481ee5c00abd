import { type RefObject, useEffect, useRef, useState } from "react";
import type { TrackName } from "../../../workers/contract/sound-chunks.ts";
import type { Broadcast } from "../../radio/broadcast.ts";
import type { BroadcastState } from "../../radio/broadcast-state.ts";
import type { MicrophoneChoice, MicrophoneSettings } from "../../radio/microphone.ts";
import { NOT_STARTED, openSound, SoundRefused } from "./open-sound.ts";

/** What the page shows of the broadcast of this document. */
export type Broadcasting =
  | { phase: "idle"; error: string | null }
  | { phase: "opening" }
  | { phase: "live"; state: BroadcastState["kind"]; words: string; is_muted: boolean; has_aac: boolean }
  | { phase: "ending" };

/** The recorder, its words and its microphones. Loaded on the first press, so that it costs nothing before. */
const loadRecorder = () => import("../../radio/broadcast.ts");

/**
 * The broadcast of this document: goes on air, continues a radio that is on air, and ends. Leaving the page ends it.
 *
 * @param meter shows the level of the microphone.
 * @param onChange called when the radio may have another state.
 */
export function useBroadcast(radio_id: string, meter: RefObject<HTMLMeterElement | null>, onChange: () => void) {
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
      try {
        const { startBroadcast, broadcastWords } = await loadRecorder();
        const onState = (state: BroadcastState) => {
          const words = broadcastWords(state);
          if (state.kind === "ended") {
            live.current = null;
            setShown({ phase: "idle", error: state.reason === "ended" ? null : words });
            return onChange();
          }
          setShown((before) => {
            const { is_muted, has_aac } = before.phase === "live" ? before : { is_muted: false, has_aac: true };
            return before.phase === "ending" ? before : { phase: "live", state: state.kind, words, is_muted, has_aac };
          });
        };
        const openIngest = () => openSound(radio_id);
        const onTracks = (tracks: readonly TrackName[]) =>
          setShown((before) => (before.phase === "live" ? { ...before, has_aac: tracks.includes("aac") } : before));
        const broadcast = await startBroadcast({ openIngest, microphone, onState, onLevel, onTracks });
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
      setShown({ phase: "ending" });
      await live.current?.end();
    },
    isLive: () => live.current !== null,
  };
}

async function wordsOf(error: unknown): Promise<string> {
  if (error instanceof SoundRefused) return error.message;
  const recorder = await loadRecorder().catch(() => null);
  if (recorder && error instanceof recorder.MicrophoneUnavailable) return recorder.OBSTACLE_WORDS[error.obstacle];
  console.warn("the broadcast did not start", error);
  return NOT_STARTED;
}
