import { SAMPLE_RATE } from "../../contract/sound-chunks.ts";
import { ascii, type Bytes, box, fullBox, int16, int32, join, zeros } from "./box.ts";
import type { Track } from "./track.ts";

/** The boxes that live segments and recordings share: a movie with one track of sound (ISO/IEC 14496-12, section 8). */

export const TRACK_ID = 1;

const UNITY_MATRIX = join([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000].map(int32));
const FULL_VOLUME = int16(0x0100);
/** ISO/IEC 14496-12, section 8.3.2: the track is enabled, in the movie and in its preview. */
const TRACK_FLAGS = 0x07;
/** "und" in three packed letters: section 8.4.2. */
const LANGUAGE_UNKNOWN = 0x55c4;

/** Returns the brands of a file. The first is the major one. */
export function fileType(brands: readonly string[]): Bytes {
  return box("ftyp", ascii(brands[0] ?? ""), int32(0), ...brands.map(ascii));
}

/**
 * Returns the movie box.
 *
 * @param duration in samples; 0 for a movie in fragments.
 * @param sample_table the boxes of the sample table after the sample description.
 * @param extension boxes after the track.
 */
export function movie(track: Track, duration: number, sample_table: Bytes[], extension: Bytes[] = []): Bytes {
  const times = [int32(0), int32(0)];
  const mvhd = fullBox(
    "mvhd",
    0,
    0,
    ...times,
    int32(SAMPLE_RATE),
    int32(duration),
    int32(0x10000),
    FULL_VOLUME,
    zeros(10),
    UNITY_MATRIX,
    zeros(24),
    int32(TRACK_ID + 1),
  );
  const tkhd = fullBox(
    "tkhd",
    0,
    TRACK_FLAGS,
    ...times,
    int32(TRACK_ID),
    zeros(4),
    int32(duration),
    zeros(8),
    zeros(4),
    FULL_VOLUME,
    zeros(2),
    UNITY_MATRIX,
    zeros(8),
  );
  // Media time 0: the sound begins with silence, so nothing has to be cut off. Opus requires the box (its
  // encapsulation, section 4.4). A duration of 0 means the sum of all samples.
  const edts = box("edts", fullBox("elst", 0, 0, int32(1), int32(duration), int32(0), int32(0x10000)));
  const mdhd = fullBox("mdhd", 0, 0, ...times, int32(SAMPLE_RATE), int32(duration), int16(LANGUAGE_UNKNOWN), zeros(2));
  const hdlr = fullBox("hdlr", 0, 0, zeros(4), ascii("soun"), zeros(12), ascii("sound\0"));
  const dinf = box("dinf", fullBox("dref", 0, 0, int32(1), fullBox("url ", 0, 1)));
  const stsd = fullBox("stsd", 0, 0, int32(1), track.sample_entry);
  const minf = box("minf", fullBox("smhd", 0, 0, zeros(4)), dinf, box("stbl", stsd, ...sample_table));
  const trak = box("trak", tkhd, edts, box("mdia", mdhd, hdlr, minf));
  return box("moov", mvhd, trak, ...extension);
}
