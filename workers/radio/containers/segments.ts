import { ascii, type Bytes, box, fullBox, int32, int32List, int64, join } from "./box.ts";
import { fileType, movie, TRACK_ID } from "./movie.ts";
import type { Track } from "./track.ts";

/** Live sound as CMAF (ISO/IEC 23000-19): an initialization segment, and media segments of one fragment each. */

/** ISO/IEC 14496-12, section 8.8.3: no sample depends on another. */
const INDEPENDENT = 0x0200_0000;

export function initSegment(track: Track): Bytes {
  const none = int32(0);
  const trex = fullBox("trex", 0, 0, int32(TRACK_ID), int32(1), int32(track.packet_samples), none, int32(INDEPENDENT));
  const sample_table = [
    fullBox("stts", 0, 0, none),
    fullBox("stsc", 0, 0, none),
    fullBox("stsz", 0, 0, none, none),
    fullBox("stco", 0, 0, none),
    ...track.rollDescription,
    ...(track.rollDescription.length > 0 ? track.rollGroup(0) : []),
  ];
  return join([
    fileType(["iso6", "cmfc", "mp41", ...track.brands]),
    movie(track, 0, sample_table, [box("mvex", trex)]),
  ]);
}

/** tfhd: the base of offsets is the fragment; durations and flags have defaults. Section 8.8.7. */
const TFHD_FLAGS = 0x02_0028;
/** trun: an offset of the data, and a size for each sample. Section 8.8.8. */
const TRUN_FLAGS = 0x00_0201;

/**
 * Returns the media segment with a number. Every segment has `segment_packets` packets, so that its time follows from
 * its number.
 */
export function mediaSegment(track: Track, number: number, packets: readonly Uint8Array[]): Bytes {
  const began_at = number * track.segment_packets * track.packet_samples;
  const fragment = (data_offset: number) =>
    box(
      "moof",
      fullBox("mfhd", 0, 0, int32(number + 1)),
      box(
        "traf",
        fullBox("tfhd", 0, TFHD_FLAGS, int32(TRACK_ID), int32(track.packet_samples), int32(INDEPENDENT)),
        fullBox("tfdt", 1, 0, int64(began_at)),
        fullBox(
          "trun",
          0,
          TRUN_FLAGS,
          int32(packets.length),
          int32(data_offset),
          int32List(packets.map(({ length }) => length)),
        ),
        ...track.rollGroup(packets.length),
      ),
    );
  const moof = fragment(fragment(0).length + 8);
  return join([box("styp", ascii("msdh"), int32(0), ascii("msdh"), ascii("cmfs")), moof, box("mdat", ...packets)]);
}
