import type { Sources } from "../../workers/contract/live-engine.ts";
import type { RadioTitle } from "./media-session.ts";

/** What the page of a live radio gives to the player, in the attribute `data-live`. */
export interface LiveAttribute {
  sources: Sources;
  radio: RadioTitle;
}

/**
 * Starts the sound of a radio's page, for visitors and members. Depends on the markup of
 * routes/creator/radio-sound.tsx. The page's `<audio>` plays without this script; with it, a press on play counts a
 * listener and loads the player of live radio, and a recording gets buttons for its speed and plays from its chapters.
 *
 * @param countListener sends one listening to the address. Called at the first press on play.
 * @returns a function that stops everything.
 */
export function startRadioSound(section: HTMLElement, countListener: (address: string) => void): () => void {
  const audio = section.querySelector("audio");
  const { live, listen = "" } = section.dataset;
  if (!audio) return () => {};
  const stopping = new AbortController();
  const { signal } = stopping;
  let stopPlayer = () => {};
  const startPlaying = async () => {
    countListener(listen);
    if (!live) return;
    // Without the player, the browser plays the plain stream.
    const player = await import("./listen.ts").catch(() => null);
    if (player && !signal.aborted) stopPlayer = playLive(player, section, audio, JSON.parse(live));
  };
  if (audio.paused) audio.addEventListener("play", startPlaying, { once: true, signal });
  else void startPlaying();
  startSpeeds(section, audio, signal);
  startChapters(section, audio, signal);
  return () => {
    stopping.abort();
    stopPlayer();
  };
}

function playLive(
  { listen, listeningWords }: typeof import("./listen.ts"),
  section: HTMLElement,
  audio: HTMLAudioElement,
  { sources, radio }: LiveAttribute,
): () => void {
  const words = section.querySelector<HTMLElement>("[data-state]");
  let shown = "";
  return listen(audio, {
    sources,
    radio,
    onState(state) {
      if (!words) return;
      // A screen reader says what happens, and not each second of latency.
      words.ariaLive = state.kind === shown ? "off" : "polite";
      shown = state.kind;
      words.textContent = listeningWords(state);
    },
  });
}

function startSpeeds(section: HTMLElement, audio: HTMLAudioElement, signal: AbortSignal): void {
  const speeds = section.querySelector<HTMLElement>("[data-speeds]");
  if (!speeds) return;
  const buttons = speeds.querySelectorAll("button");
  speeds.hidden = false;
  const listener = { signal };
  for (const button of buttons) {
    button.addEventListener(
      "click",
      () => {
        audio.defaultPlaybackRate = Number(button.value);
        audio.playbackRate = audio.defaultPlaybackRate;
      },
      listener,
    );
  }
  audio.addEventListener(
    "ratechange",
    () => {
      for (const button of buttons) button.ariaPressed = String(Number(button.value) === audio.playbackRate);
    },
    listener,
  );
}

/** A press on a chapter plays the recording from there, instead of opening it alone. */
function startChapters(section: HTMLElement, audio: HTMLAudioElement, signal: AbortSignal): void {
  section.addEventListener(
    "click",
    (event) => {
      const chapter = (event.target as Element).closest<HTMLElement>("[data-at]");
      if (!chapter) return;
      event.preventDefault();
      audio.currentTime = Number(chapter.dataset.at);
      audio.play().catch(() => {});
    },
    { signal },
  );
}
