import type { Ingest } from "../../workers/contract/live-engine.ts";
import type { TrackName } from "../../workers/contract/sound-chunks.ts";
import type { BroadcastState } from "./broadcast-state.ts";
import { ChunkSender } from "./chunk-sender.ts";
import { encodersOf, findEncoders } from "./encoders.ts";
import { type MicrophoneSettings, MicrophoneUnavailable, openMicrophone } from "./microphone.ts";
import { networkTo } from "./network.ts";
import { Recorder } from "./recorder.ts";

/**
 * The recorder of a broadcaster's page. The page imports this module when the broadcaster presses the button, so that
 * it costs nothing before. docs/decisions/0041.
 */

export { broadcastWords, delayedSeconds, endWords } from "./broadcast-state.ts";
export { listMicrophones, MicrophoneUnavailable, OBSTACLE_WORDS } from "./microphone.ts";

interface BroadcastOptions {
  /** Opens the radio for this page (`LiveEngine.open`). Called after the person has allowed the microphone. */
  openIngest(): Promise<Pick<Ingest, "path" | "epoch">>;
  microphone: MicrophoneSettings;
  onState(state: BroadcastState): void;
  /** Gets the level for the meter 50 times a second, from 0 to 1. */
  onLevel(level: number): void;
  /**
   * Gets the tracks that are sent, at the start and when one is given up. Without `aac`, listeners without a script hear
   * nothing: the page must say so.
   */
  onTracks(tracks: readonly TrackName[]): void;
}

export interface Broadcast {
  setMuted(is_muted: boolean): void;
  /**
   * Continues with another microphone or other settings. Ends the broadcast when it cannot be opened.
   *
   * @throws {MicrophoneUnavailable}
   */
  changeMicrophone(settings: MicrophoneSettings): Promise<void>;
  /** Sends the last words and stops. Wait for it before the radio is finished. */
  end(): Promise<void>;
}

/**
 * Goes on air. Call it on a press.
 *
 * @throws {MicrophoneUnavailable} before the radio is opened.
 */
export async function startBroadcast(options: BroadcastOptions): Promise<Broadcast> {
  const { openIngest, onState, onLevel, onTracks } = options;
  let recorder: Recorder | null = null;
  let sender: ChunkSender | null = null;
  let is_stopped = false;
  let wanted = options.microphone;
  let changing = Promise.resolve();
  const open = (settings: MicrophoneSettings) =>
    openMicrophone(settings, {
      onSamples: (samples, peak) => recorder?.take(samples, peak),
      onLost: () => void recorder?.end("microphone_lost"),
    });
  let microphone = await open(options.microphone);
  const lock = keepScreenOn();
  const wake = () => {
    microphone.resume();
    sender?.wake();
    if (document.visibilityState === "visible") lock.renew();
  };
  const warnBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault();
  const stop = () => {
    is_stopped = true;
    microphone.stop();
    lock.release();
    removeEventListener("online", wake);
    removeEventListener("beforeunload", warnBeforeLeaving);
    document.removeEventListener("visibilitychange", wake);
  };
  try {
    const configs = await findEncoders();
    if (configs.size === 0) throw new MicrophoneUnavailable("unsupported");
    const { path, epoch } = await openIngest();
    const opened = new ChunkSender({
      network: networkTo(location.origin),
      path,
      onState: (state) => {
        if (state.kind === "ended") stop();
        onState(state);
      },
    });
    sender = opened;
    const openEncoder = encodersOf(configs);
    const own = new Recorder({ epoch, openEncoder, sender: opened, onLevel, onTracks, onEnd: stop });
    recorder = own;
    addEventListener("online", wake);
    addEventListener("beforeunload", warnBeforeLeaving);
    document.addEventListener("visibilitychange", wake);
    opened.start();
    onTracks(own.tracks);
    /** Does nothing when a later change was asked for. Two changes at once would leave a microphone open. */
    const replaceMicrophone = async (settings: MicrophoneSettings) => {
      if (is_stopped || settings !== wanted) return;
      // iOS gives a page one microphone at a time.
      microphone.stop();
      try {
        microphone = await open(settings);
      } catch (error) {
        void own.end("microphone_lost");
        throw error;
      }
      if (is_stopped) microphone.stop();
    };
    return {
      setMuted: (is_muted) => own.setMuted(is_muted),
      changeMicrophone(settings) {
        wanted = settings;
        const change = changing.then(() => replaceMicrophone(settings));
        changing = change.catch(() => {});
        return change;
      },
      end: () => own.end(),
    };
  } catch (error) {
    stop();
    throw error;
  }
}

/** Keeps a phone's screen on, because a locked phone stops the microphone of a page. */
function keepScreenOn(): { renew(): void; release(): void } {
  let is_released = false;
  let held: WakeLockSentinel | null = null;
  const renew = async () => {
    // The browser releases the lock whenever the page is hidden.
    const lock = await navigator.wakeLock?.request("screen").catch(() => null);
    if (!lock) return;
    // Two renewals at the same moment get a lock each.
    void (is_released ? lock : held)?.release();
    held = lock;
  };
  void renew();
  return {
    renew: () => void renew(),
    release() {
      is_released = true;
      void held?.release();
    },
  };
}
