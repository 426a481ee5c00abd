/** Sound whose moment can be heard: a tone that changes every second, as a file for a microphone and as packets of AAC. */
import { PACKET_SAMPLES, SAMPLE_RATE } from "../../workers/contract/sound-chunks.ts";

/** Lines of the transform of AAC, whose frequencies are far enough apart for an analyser. */
const LINES = Array.from({ length: 16 }, (_, tone) => 16 + 8 * tone);
/** How long one tone lasts. After all tones the first follows again, so a latency below this times 16 is unambiguous. */
export const TONE_MS = 1000;

/** The frequencies of the tones in Hz. A line of AAC is half of the sample rate divided by 1024 wide. */
export const toneFrequencies = LINES.map((line) => ((line + 0.5) * SAMPLE_RATE) / (2 * PACKET_SAMPLES.aac));

/** Returns which tone sounds at a moment of the sound. */
export const toneAt = (ms: number): number => Math.floor(ms / TONE_MS) % LINES.length;

/** Returns a WAV file (16 bits, mono) of all tones, one after the other. A microphone plays it again and again. */
export function toneFile(): Uint8Array {
  const samples = (LINES.length * TONE_MS * SAMPLE_RATE) / 1000;
  const view = new DataView(new ArrayBuffer(44 + 2 * samples));
  const write = (offset: number, text: string) => {
    for (let at = 0; at < text.length; at++) view.setUint8(offset + at, text.charCodeAt(at));
  };
  write(0, "RIFF");
  view.setUint32(4, 36 + 2 * samples, true);
  write(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, SAMPLE_RATE, true);
  view.setUint32(28, 2 * SAMPLE_RATE, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  write(36, "data");
  view.setUint32(40, 2 * samples, true);
  for (let sample = 0; sample < samples; sample++) {
    const frequency = toneFrequencies[toneAt((sample * 1000) / SAMPLE_RATE)] ?? 0;
    const value = 8000 * Math.sin((2 * Math.PI * frequency * sample) / SAMPLE_RATE);
    view.setInt16(44 + 2 * sample, value, true);
  }
  return new Uint8Array(view.buffer);
}

/** Bytes of a packet of 64 kbit/s. */
const PACKET_BYTES = 170;
const LOUDNESS = 190;
/** The scale factor bands of 48 kHz up to line 176. ISO/IEC 14496-3, table 4.129. */
const BANDS = 23;
const BANDS_END = 176;
/** Codebook 1 (table 4.A.2) has four lines in a word: none, the first is +1, the first is -1. */
const CODEBOOK = 1;
const [NONE, PLUS, MINUS] = ["0", "10000", "10001"];

const bits = (value: number, length: number) => value.toString(2).padStart(length, "0");

/**
 * Returns the packet with a number of AAC-LC, mono at 48 kHz (ISO/IEC 14496-3, section 4.4.2), as a recorder sends it: one line of the
 * spectrum, and fill elements up to the usual size.
 */
export function tonePacket(number: number): Uint8Array {
  const ms = (number * PACKET_SAMPLES.aac * 1000) / SAMPLE_RATE;
  const line = LINES[toneAt(ms)] ?? 0;
  // A steady tone of an even line turns by a quarter in each packet.
  const word = [1, 2].includes(number % 4) ? MINUS : PLUS;
  const spectrum = Array.from({ length: BANDS_END / 4 }, (_, at) => (at * 4 === line ? word : NONE)).join("");
  const channel = [
    // A single channel element with the tag 0, its loudness, and one long window.
    bits(0, 3) + bits(0, 4) + bits(LOUDNESS, 8) + bits(0, 1) + bits(0, 2) + bits(0, 1) + bits(BANDS, 6) + bits(0, 1),
    // One section with all bands, whose scale factors do not differ.
    bits(CODEBOOK, 4) + bits(BANDS, 5) + bits(0, BANDS),
    // Neither pulses, nor noise shaping, nor gain control.
    bits(0, 3),
    spectrum,
  ].join("");
  const end = bits(7, 3);
  const free_bytes = PACKET_BYTES - Math.ceil((channel.length + end.length + 15) / 8);
  const fill = bits(6, 3) + bits(15, 4) + bits(free_bytes - 14, 8) + bits(0, 8 * free_bytes);
  const packet = channel + fill + end;
  const padded = packet.padEnd(8 * Math.ceil(packet.length / 8), "0");
  return Uint8Array.from({ length: padded.length / 8 }, (_, at) =>
    Number.parseInt(padded.slice(8 * at, 8 * at + 8), 2),
  );
}
