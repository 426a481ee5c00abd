import type { OverlaySettings } from "../../workers/contract/streaming.ts";

/** The tones of a sound: frequency in hertz, when it begins, and how long it fades, in seconds. */
type Tone = readonly [hertz: number, at_s: number, fade_s: number];
const TONES: Readonly<Record<Exclude<OverlaySettings["sound"], "none">, readonly Tone[]>> = {
  chime: [
    [1046.5, 0, 0.5],
    [1318.5, 0.12, 0.5],
    [1568, 0.24, 0.9],
  ],
  bell: [
    [880, 0, 1.6],
    [2217, 0, 0.9],
    [3520, 0, 0.4],
  ],
  drop: [
    [1480, 0, 0.12],
    [740, 0.07, 0.3],
  ],
};
/** The loudest tone at full volume: several may sound together. */
const LOUDEST = 0.35;

let speaker: AudioContext | undefined;

/** Plays the sound of an overlay, which Web Audio makes. A browser that wants a press first plays nothing. */
export function playSound({ sound, volume }: Pick<OverlaySettings, "sound" | "volume">): void {
  if (sound === "none" || volume === 0) return;
  speaker ??= new AudioContext();
  speaker.resume().catch(() => {});
  for (const [hertz, at_s, fade_s] of TONES[sound]) {
    const begins = speaker.currentTime + at_s;
    const [tone, gain] = [speaker.createOscillator(), speaker.createGain()];
    tone.frequency.value = hertz;
    gain.gain.setValueAtTime(0, begins);
    gain.gain.linearRampToValueAtTime((LOUDEST * volume) / 100, begins + 0.01);
    gain.gain.exponentialRampToValueAtTime(0.0001, begins + fade_s);
    tone.connect(gain).connect(speaker.destination);
    tone.start(begins);
    tone.stop(begins + fade_s);
  }
}

const SPEEDS: Readonly<Record<OverlaySettings["voice_speed"], number>> = { slow: 0.8, normal: 1, fast: 1.3 };

/** The longest that a voice may keep the next letter waiting. */
const MAX_READING_MS = 60_000;

/** The voices of this browser. Chromium loads them at the first call, so that the next ones have them. */
const listVoices = () => ("speechSynthesis" in window ? speechSynthesis.getVoices() : []);
listVoices();

/** Reads a text aloud. Resolves when it has been read, or at once in a browser without a voice. */
export function readAloud(
  text: string,
  { volume, voice_speed }: Pick<OverlaySettings, "volume" | "voice_speed">,
): Promise<void> {
  if (listVoices().length === 0) return Promise.resolve();
  const utterance = new SpeechSynthesisUtterance(text);
  utterance.lang = "ja-JP";
  utterance.volume = volume / 100;
  utterance.rate = SPEEDS[voice_speed];
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      speechSynthesis.cancel();
      resolve();
    }, MAX_READING_MS);
    utterance.onend = utterance.onerror = () => {
      clearTimeout(timer);
      resolve();
    };
    speechSynthesis.speak(utterance);
  });
}
