/**
 * Three plucked notes of an open C tuning: 8-bit mono PCM in a WAV, computed here so that the repository holds no sound
 * file.
 */
const RATE = 8000;
const SECONDS = 4;
const NOTES = [130.81, 196.0, 261.63];

export function pluckedChord(): Uint8Array {
  const length = RATE * SECONDS;
  const wav = Buffer.alloc(44 + length);
  wav.write("RIFF", 0, "latin1");
  wav.writeUInt32LE(36 + length, 4);
  wav.write("WAVEfmt ", 8, "latin1");
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(RATE, 24);
  wav.writeUInt32LE(RATE, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write("data", 36, "latin1");
  wav.writeUInt32LE(length, 40);
  for (let at = 0; at < length; at++) wav[44 + at] = Math.round(128 + 100 * pressureAt(at / RATE));
  return wav;
}

/** Returns the pressure from -1 to 1 at a time in seconds. The notes begin one after another and fade slowly. */
function pressureAt(time: number): number {
  return NOTES.reduce((sum, pitch, index) => {
    const since = time - index * 0.35;
    if (since < 0) return sum;
    const ring = Math.exp(-1.6 * since);
    return sum + (ring * (Math.sin(2 * Math.PI * pitch * since) + 0.3 * Math.sin(4 * Math.PI * pitch * since))) / 4;
  }, 0);
}
