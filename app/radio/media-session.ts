/** What a lock screen shows of a radio. */
export interface RadioTitle {
  title: string;
  /** The creator's name. */
  artist: string;
  artwork: string | null;
}

const HIDDEN_ACTIONS: readonly MediaSessionAction[] = ["seekbackward", "seekforward", "seekto", "previoustrack"];

/** Shows the radio on the lock screen, with a button that plays and pauses. Returns a function that takes it away. */
export function showOnLockScreen(audio: HTMLAudioElement, { title, artist, artwork }: RadioTitle): () => void {
  if (!("mediaSession" in navigator) || typeof MediaMetadata === "undefined") return () => {};
  const { mediaSession } = navigator;
  mediaSession.metadata = new MediaMetadata({ title, artist, artwork: artwork ? [{ src: artwork }] : [] });
  const handle = (action: MediaSessionAction, handler: MediaSessionActionHandler | null) => {
    try {
      mediaSession.setActionHandler(action, handler);
    } catch {
      // The browser does not know this action.
    }
  };
  const play = () => void audio.play().catch(() => {});
  const pause = () => audio.pause();
  handle("play", play);
  handle("pause", pause);
  handle("stop", pause);
  // One cannot seek in a live radio.
  for (const action of HIDDEN_ACTIONS) handle(action, null);
  const showState = () => {
    mediaSession.playbackState = audio.paused ? "paused" : "playing";
  };
  audio.addEventListener("play", showState);
  audio.addEventListener("pause", showState);
  return () => {
    audio.removeEventListener("play", showState);
    audio.removeEventListener("pause", showState);
    for (const action of ["play", "pause", "stop"] as const) handle(action, null);
    mediaSession.metadata = null;
    mediaSession.playbackState = "none";
  };
}
