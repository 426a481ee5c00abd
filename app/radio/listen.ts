import type { Sources } from "../../workers/contract/live-engine.ts";
import type { ListeningState } from "./listening-state.ts";
import { LiveFeed, LoadFailure } from "./live-feed.ts";
import { nextMove } from "./live-position.ts";
import { BufferRefused, findPlayableType, openMediaBuffer } from "./media-buffer.ts";
import { type RadioTitle, showOnLockScreen } from "./media-session.ts";

/**
 * The player of a listener's page. The page has a plain `<audio>`, and imports this module when the listener presses
 * play, so that it costs nothing before. docs/decisions/0041.
 */

export { listeningWords } from "./listening-state.ts";

/** The wait while the buffer is full. */
const PAUSE_MS = 600;
const LOAD_TIMEOUT_MS = 10_000;
/** After so many answers that the playlist is unknown, the radio is over for this listener. */
const MAX_UNKNOWN = 3;
/** After so many errors of the decoder, the browser plays the plain stream. */
const MAX_RESTARTS = 3;

interface ListeningOptions {
  sources: Sources;
  radio: RadioTitle;
  onState(state: ListeningState): void;
}

/**
 * Plays a live radio with little latency, and continues after interruptions. Where the browser cannot, it plays the plain
 * stream. Call it on a press. Returns a function that stops everything.
 */
export function listen(audio: HTMLAudioElement, options: ListeningOptions): () => void {
  const player = new LivePlayer(audio, options);
  const hideFromLockScreen = showOnLockScreen(audio, options.radio);
  void player.run();
  return () => {
    player.stop();
    hideFromLockScreen();
  };
}

class LivePlayer {
  readonly #audio: HTMLAudioElement;
  readonly #options: ListeningOptions;
  /** The address that the page gave the element. */
  readonly #own_address: string | null;
  readonly #stopping = new AbortController();
  #state: ListeningState = { kind: "loading" };
  #behind_s = 0;
  #has_started = false;
  #interruptions = 0;
  #restarts = 0;
  #is_plain = false;
  #plain_failures = 0;

  constructor(audio: HTMLAudioElement, options: ListeningOptions) {
    this.#audio = audio;
    this.#own_address = audio.getAttribute("src");
    this.#options = options;
  }

  async run(): Promise<void> {
    const audio = this.#audio;
    const { signal } = this.#stopping;
    audio.addEventListener("waiting", () => this.#noteInterruption(), { signal });
    audio.addEventListener("playing", () => this.#showPlaying(), { signal });
    audio.addEventListener("pause", () => this.#show({ kind: "paused" }), { signal });
    audio.addEventListener("ended", () => this.#show({ kind: "ended" }), { signal });
    audio.addEventListener("error", () => this.#is_plain && this.#repeatPlain(), { signal });
    this.#options.onState(this.#state);
    const type = findPlayableType(this.#options.sources.opus.mime_type);
    while (type && this.#restarts < MAX_RESTARTS && !signal.aborted) {
      try {
        return await this.#playSegments(type);
      } catch (error) {
        // The decoder failed: begin again with a new buffer.
        this.#restarts = error instanceof BufferRefused ? MAX_RESTARTS : this.#restarts + 1;
      }
    }
    if (!signal.aborted) this.#playPlain();
  }

  /** Stops, and gives the element back as the page had it. */
  stop(): void {
    this.#stopping.abort();
    this.#audio.pause();
    if (this.#own_address === null) this.#audio.removeAttribute("src");
    else this.#audio.src = this.#own_address;
    this.#audio.load();
  }

  /** Plays until the radio ends. Rejects when the decoder fails. */
  async #playSegments(type: string): Promise<void> {
    const { signal } = this.#stopping;
    const audio = this.#audio;
    const opening = openMediaBuffer(audio, type);
    // Within the press: some browsers forget it soon.
    this.#play();
    const buffer = await opening;
    const { playlist } = this.#options.sources.opus;
    const feed = new LiveFeed({
      playlist,
      load: (address) => this.#load(address),
      append: buffer.append,
      onStart: (start_s) => this.#moveTo(start_s),
    });
    let failures = 0;
    let unknown = 0;
    this.#has_started = false;
    while (!signal.aborted) {
      if (audio.error) throw audio.error;
      const is_paused = this.#has_started && audio.paused;
      if (is_paused || !buffer.isHungry()) {
        await sleep(PAUSE_MS);
        continue;
      }
      try {
        const advance = await feed.advance();
        [failures, unknown] = [0, 0];
        this.#follow(feed);
        await buffer.trim();
        if (advance === "ended") return buffer.end();
        if (advance === "missing") await sleep(PAUSE_MS);
      } catch (error) {
        if (!(error instanceof LoadFailure)) throw error;
        if (signal.aborted) return;
        unknown = error.status === 404 ? unknown + 1 : 0;
        if (unknown >= MAX_UNKNOWN) {
          buffer.end();
          return this.#show({ kind: "ended" });
        }
        // Meanwhile the buffer plays.
        if (failures > 0) this.#show({ kind: "reconnecting" });
        await sleep(retryWait(failures++));
      }
    }
  }

  /** Plays from a time whose segment is in the buffer. */
  #moveTo(start_s: number): void {
    const { buffered } = this.#audio;
    // The decoder may leave out the first samples.
    const first_s = buffered.length > 0 ? buffered.start(buffered.length - 1) : start_s;
    this.#audio.currentTime = Math.max(start_s, first_s);
    this.#has_started = true;
  }

  /** Keeps the distance to the newest sound. */
  #follow(feed: LiveFeed): void {
    const audio = this.#audio;
    this.#behind_s = feed.live_s - audio.currentTime;
    const move = nextMove(this.#behind_s, this.#interruptions, feed.network_s);
    if (move.kind === "skip") feed.skipToLive();
    else audio.playbackRate = move.rate;
    if (!audio.paused && audio.readyState >= audio.HAVE_FUTURE_DATA) this.#showPlaying();
  }

  #noteInterruption(): void {
    if (this.#is_plain || this.#audio.seeking) return;
    if (this.#has_started && this.#state.kind === "playing") this.#interruptions++;
    if (this.#state.kind !== "reconnecting") this.#show({ kind: this.#has_started ? "buffering" : "loading" });
  }

  #showPlaying(): void {
    if (this.#is_plain) {
      this.#plain_failures = 0;
      this.#show({ kind: "plain" });
      return;
    }
    this.#show({ kind: "playing", latency_s: Math.max(1, Math.round(this.#behind_s)) });
  }

  /** Lets the browser play by itself: HLS where it can, else the endless stream. */
  #playPlain(): void {
    const { hls, progressive } = this.#options.sources;
    this.#is_plain = true;
    this.#audio.playbackRate = 1;
    this.#audio.disableRemotePlayback = false;
    this.#audio.src = this.#audio.canPlayType("application/vnd.apple.mpegurl") ? hls : progressive;
    this.#play();
  }

  /** Opens the plain stream again after an error. */
  async #repeatPlain(): Promise<void> {
    this.#show({ kind: "reconnecting" });
    await sleep(retryWait(this.#plain_failures++));
    if (!this.#stopping.signal.aborted) this.#playPlain();
  }

  #play(): void {
    // A browser that wants another press leaves the element paused, with its own button.
    this.#audio.play().catch(() => {
      if (this.#audio.paused) this.#show({ kind: "paused" });
    });
  }

  async #load(address: string): Promise<ArrayBuffer> {
    const response = await fetch(address, { signal: AbortSignal.timeout(LOAD_TIMEOUT_MS) }).catch(() => null);
    if (!response?.ok) throw new LoadFailure(response?.status ?? null);
    return response.arrayBuffer().catch(() => {
      throw new LoadFailure(null);
    });
  }

  #show(state: ListeningState): void {
    if (this.#stopping.signal.aborted || JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#options.onState(state);
  }
}

const sleep = (ms: number) => new Promise<void>((resume) => setTimeout(resume, ms));
/** The wait for the next try: half a second first, then twice as long each time, up to eight. */
const retryWait = (failures: number) => 500 * 2 ** Math.min(failures, 4);
