/** The sounds of the demo world, as mono PCM in WAV, computed here so that the repository holds no sound file. */

/** Returns a WAV of 16 bits, or of 8 bits. `pressureAt` has the pressure from -1 to 1 at a time in seconds. */
function wavOf(
  { rate, seconds, bits }: { rate: number; seconds: number; bits: 8 | 16 },
  pressureAt: (time: number) => number,
): Uint8Array {
  const sample_bytes = bits / 8;
  const length = rate * seconds * sample_bytes;
  const wav = Buffer.alloc(44 + length);
  wav.write("RIFF", 0, "latin1");
  wav.writeUInt32LE(36 + length, 4);
  wav.write("WAVEfmt ", 8, "latin1");
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate * sample_bytes, 28);
  wav.writeUInt16LE(sample_bytes, 32);
  wav.writeUInt16LE(bits, 34);
  wav.write("data", 36, "latin1");
  wav.writeUInt32LE(length, 40);
  for (let sample = 0; sample < rate * seconds; sample++) {
    const pressure = pressureAt(sample / rate);
    const at = 44 + sample * sample_bytes;
    if (bits === 8) wav[at] = Math.round(128 + 100 * pressure);
    else wav.writeInt16LE(Math.round(28_000 * pressure), at);
  }
  return wav;
}

const CHORD = [130.81, 196.0, 261.63];

/** Three plucked notes of an open C tuning. They begin one after another and fade slowly. */
export function pluckedChord(): Uint8Array {
  return wavOf({ rate: 8000, seconds: 4, bits: 8 }, (time) =>
    CHORD.reduce((sum, pitch, index) => {
      const since = time - index * 0.35;
      if (since < 0) return sum;
      const ring = Math.exp(-1.6 * since);
      return sum + (ring * (Math.sin(2 * Math.PI * pitch * since) + 0.3 * Math.sin(4 * Math.PI * pitch * since))) / 4;
    }, 0),
  );
}

/** A slow melody on five notes of a music box, with a rest after each fourth: pitch in hertz, 0 for a rest. */
const MELODY = [392, 440, 523.25, 440, 0, 392, 329.63, 392, 293.66, 0, 329.63, 392, 440, 523.25, 0, 440, 392, 329.63];
const NOTE_S = 1.2;
/** How long {@link nightMelody} is. */
export const NIGHT_MELODY_MS = 24_000;
/** A note fades for this long. */
const FADE_S = 3;

/** A calm melody of 24 seconds, as the sound of a radio. */
export function nightMelody(): Uint8Array {
  return wavOf({ rate: 16_000, seconds: NIGHT_MELODY_MS / 1000, bits: 16 }, (time) => {
    const latest = Math.floor(time / NOTE_S);
    let pressure = 0;
    for (let note = Math.max(0, latest - Math.ceil(FADE_S / NOTE_S)); note <= latest; note++) {
      const pitch = MELODY[note];
      if (!pitch) continue;
      const since = time - note * NOTE_S;
      // The first 10 ms rise, so that a note does not begin with a click.
      const ring = Math.min(1, since / 0.01) * Math.max(0, 1 - since / FADE_S) * Math.exp(-1.4 * since);
      pressure += ring * (Math.sin(2 * Math.PI * pitch * since) + 0.2 * Math.sin(6 * Math.PI * pitch * since));
    }
    return pressure / 3;
  });
}
