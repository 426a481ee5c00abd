/** How long a sound plays, from the headers of its file. The files are made after the specifications of their formats. */
import { describe, expect, test } from "vitest";
import { findSoundLength } from "../../workers/api/radios/sound-length.ts";
import { recordingHead } from "../../workers/radio/containers/recording-file.ts";
import { tracks } from "../../workers/radio/containers/track.ts";

type Bytes = readonly number[];
const latin = (text: string): number[] => Array.from(text, (sign) => sign.charCodeAt(0));
const zeros = (length: number): number[] => new Array(length).fill(0);
const big = (value: number, length: number): number[] =>
  Array.from({ length }, (_, at) => Math.floor(value / 256 ** (length - 1 - at)) % 256);
const little = (value: number, length: number): number[] => big(value, length).reverse();
const repeat = (bytes: Bytes, times: number): number[] => Array.from({ length: times }, () => bytes).flat();

/** Returns the length of a file in milliseconds. A read gives what the file has, as the bucket does. */
function lengthOf(type: string, bytes: ArrayLike<number>): Promise<number | null> {
  const file = Uint8Array.from(bytes);
  const read = async (offset: number, length: number) => file.slice(offset, offset + length);
  return findSoundLength(`audio/${type}`, { bytes: file.length, read });
}

/** A frame of MPEG-1 layer III at 44.1 kHz: 1,152 samples. The number of its bit rate decides its size. */
const mp3 = (kbits: 64 | 128) => {
  const frame = zeros(Math.floor((144 * kbits * 1000) / 44_100));
  return [0xff, 0xfb, (kbits === 64 ? 5 : 9) << 4, 0, ...frame.slice(4)];
};
/** A frame of ADTS with 1,024 samples at 48 kHz. */
const adts = (bytes: number) => {
  const head = [0xff, 0xf1, 0x4c, 0x40 | (bytes >> 11), (bytes >> 3) & 255, ((bytes & 7) << 5) | 31, 0xfc];
  return [...head, ...zeros(bytes - 7)];
};
const page = (serial: number, samples: number, body: Bytes) => [
  ...[...latin("OggS"), 0, 0, ...little(samples, 8), ...little(serial, 4), ...zeros(8), 1, body.length],
  ...body,
];
const box = (type: string, ...parts: Bytes[]) => {
  const body = parts.flat();
  return [...big(8 + body.length, 4), ...latin(type), ...body];
};
const mvhd = (timescale: number, units: number) =>
  box("mvhd", [...zeros(12), ...big(timescale, 4), ...big(units, 4), ...zeros(80)]);
const element = (id: Bytes, body: Bytes) => [...id, 0x08, ...big(body.length, 4), ...body];
const double = (value: number) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return [...new Uint8Array(view.buffer)];
};
const webm = (...info: Bytes[]) => [
  ...element([0x1a, 0x45, 0xdf, 0xa3], latin("webm")),
  // A segment of unknown size, as a recorder writes it.
  ...[0x18, 0x53, 0x80, 0x67, 0x01, ...new Array(7).fill(0xff)],
  ...element([0xec], zeros(30)),
  ...element([0x15, 0x49, 0xa9, 0x66], info.flat()),
];
const wav = (data: Bytes, said = data.length) => [
  ...[...latin("RIFF"), ...zeros(4), ...latin("WAVEfmt "), ...little(16, 4)],
  ...[...little(1, 2), ...little(1, 2), ...little(8000, 4), ...little(8000, 4), ...little(1, 2), ...little(8, 2)],
  ...[...latin("LIST"), ...little(3, 4), ...zeros(4), ...latin("data"), ...little(said, 4), ...data],
];
/** A STREAMINFO of FLAC: 20 bits of sampling rate, 3 of channels, 5 of depth, 36 of samples. */
const streamInfo = (rate: number, samples: number) => [
  ...[...zeros(10), ...big(rate * 16, 3), 0xf0, ...big(samples, 4), ...zeros(16)],
];

const opusHead = [...latin("OpusHead"), 1, 1, ...little(3840, 2), ...zeros(40)];
const vorbisHead = [1, ...latin("vorbis"), ...zeros(5), ...little(44_100, 4), ...zeros(40)];
const flacHead = [0x7f, ...latin("FLAC"), ...zeros(4), ...latin("fLaC"), ...zeros(4), ...streamInfo(96_000, 0)];
const sizes = new Array(469).fill(170);

describe("the length of a sound", () => {
  test.each<[name: string, type: string, file: ArrayLike<number>, milliseconds: number]>([
    ["a recording of ours", "mp4", recordingHead(tracks.aac, sizes), 10_005],
    [
      "M4A whose movie is at the end",
      "mp4",
      [...box("ftyp"), ...box("mdat", zeros(500)), ...box("moov", box("udta"), mvhd(1000, 61_500))],
      61_500,
    ],
    [
      "fragmented M4A that says its length",
      "mp4",
      box("moov", mvhd(48_000, 0), box("mvex", box("mehd", [...zeros(4), ...big(96_000, 4)]))),
      2000,
    ],
    ["MP3 with a changing bit rate", "mpeg", [...repeat(mp3(64), 100), ...repeat(mp3(128), 100)], 5224],
    [
      "MP3 between tags",
      "mpeg",
      [...latin("ID3"), 4, 0, 0, 0, 0, 1, 0, ...zeros(128), ...repeat(mp3(64), 100), ...latin("TAG"), ...zeros(125)],
      2612,
    ],
    ["MP3 that was cut off", "mpeg", repeat(mp3(64), 100).slice(0, -50), 2612],
    ["ADTS", "aac", [...repeat(adts(20), 400), ...repeat(adts(300), 69)], 10_005],
    ["Ogg with Opus", "ogg", [...page(7, 0, opusHead), ...page(7, 99_840, zeros(60)), ...page(8, 1, zeros(9))], 2000],
    ["Ogg with Vorbis", "ogg", [...page(7, 0, vorbisHead), ...page(7, 88_200, zeros(60))], 2000],
    ["Ogg with FLAC", "ogg", [...page(7, 0, flacHead), ...page(7, 96_000, zeros(60))], 1000],
    [
      "WebM",
      "webm",
      webm(element([0x2a, 0xd7, 0xb1], [0x0f, 0x42, 0x40]), element([0x44, 0x89], double(61_500))),
      61_500,
    ],
    ["WAV", "wav", wav(zeros(4000)), 500],
    ["WAV of a recorder that was stopped", "wav", wav(zeros(4000), 0xffffffff), 500],
    ["FLAC", "flac", [...latin("fLaC"), ...zeros(4), ...streamInfo(44_100, 441_000)], 10_000],
  ])("is read from %s", async (_, type, file, milliseconds) => {
    expect(await lengthOf(type, file)).toBe(milliseconds);
  });

  test("is summed up over more frames than one read returns", async () => {
    expect(await lengthOf("mpeg", repeat(mp3(128), 20_000))).toBe(Math.round((20_000 * 1_152_000) / 44_100));
  });

  test.each<[name: string, type: string, file: ArrayLike<number>]>([
    ["fragments without a length", "mp4", box("moov", mvhd(48_000, 0))],
    ["M4A without a movie", "mp4", box("mdat", zeros(100))],
    ["a box that is smaller than its head", "mp4", [...big(3, 4), ...latin("moov"), ...zeros(50)]],
    ["a timescale of zero", "mp4", box("moov", mvhd(0, 100))],
    ["more than a day", "mp4", box("moov", mvhd(1, 86_401))],
    ["MP3 that becomes something else", "mpeg", [...repeat(mp3(64), 10), ...zeros(70_000)]],
    ["MPEG audio of another layer", "mpeg", repeat([0xff, 0xfd, 0x90, 0, ...zeros(400)], 10)],
    ["Ogg without a last page", "ogg", page(7, 0, opusHead).slice(0, 70)],
    ["Ogg with another codec", "ogg", [...page(7, 0, [...latin("Speex   "), ...zeros(60)]), ...page(7, 9, zeros(60))]],
    ["WebM of a browser's recorder", "webm", webm(element([0x2a, 0xd7, 0xb1], [0x0f, 0x42, 0x40]))],
    ["WAV without a format", "wav", [...latin("RIFF    WAVEdata"), ...little(4, 4), ...zeros(4)]],
    ["FLAC of unknown length", "flac", [...latin("fLaC"), ...zeros(4), ...streamInfo(44_100, 0)]],
    ["an unknown type", "midi", zeros(100)],
  ])("is unknown for %s", async (_, type, file) => {
    expect(await lengthOf(type, file)).toBeNull();
  });

  test.each(["mp4", "mpeg", "aac", "ogg", "webm", "wav", "flac"])(
    "is unknown for %s that ends anywhere",
    async (type) => {
      const files: Record<string, ArrayLike<number>> = {
        mp4: box("moov", mvhd(1000, 61_500)),
        ogg: [...page(7, 0, vorbisHead), ...page(7, 88_200, zeros(60))],
        webm: webm(element([0x44, 0x89], double(61_500))),
        flac: [...latin("fLaC"), ...zeros(4), ...streamInfo(44_100, 441_000)],
      };
      const file = Array.from(files[type] ?? []);
      // No shorter file makes a reader throw.
      for (let length = 0; length < file.length; length++) await lengthOf(type, file.slice(0, length));
      expect(await lengthOf(type, file.slice(0, 20))).toBeNull();
    },
  );
});
