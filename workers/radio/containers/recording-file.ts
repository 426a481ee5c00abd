import { type Bytes, box, fullBox, int32, int32List, join } from "./box.ts";
import { fileType, movie } from "./movie.ts";
import type { Track } from "./track.ts";

/** How many packets one chunk of the file holds: about a second. */
const CHUNK_PACKETS = 48;
const MAX_BYTES = 2 ** 32;

/**
 * Returns everything of an MP4 file before the first packet: type, movie, and the head of the data. The packets follow
 * one after the other. The movie is in front, so that a player can begin, and seek by ranges, before it has the file.
 *
 * @param sizes the size of each packet, in order.
 * @throws when the file would have 4 GiB or more.
 */
export function recordingHead(track: Track, sizes: ArrayLike<number>): Bytes {
  const chunk_sizes: number[] = [];
  for (let packet = 0; packet < sizes.length; packet++) {
    const chunk = Math.floor(packet / CHUNK_PACKETS);
    chunk_sizes[chunk] = (chunk_sizes[chunk] ?? 0) + (sizes[packet] ?? 0);
  }
  const data_bytes = chunk_sizes.reduce((sum, bytes) => sum + bytes, 0);
  const brands = track.name === "aac" ? ["M4A ", "mp42", "isom"] : ["isom", "iso2", "mp42", ...track.brands];
  const file_type = fileType(brands);
  const write = (first_offset: number) =>
    movie(track, sizes.length * track.packet_samples, [
      fullBox("stts", 0, 0, int32(1), int32(sizes.length), int32(track.packet_samples)),
      sampleToChunk(sizes.length, chunk_sizes.length),
      fullBox("stsz", 0, 0, int32(0), int32(sizes.length), int32List(sizes)),
      fullBox("stco", 0, 0, int32(chunk_sizes.length), int32List(offsetsOf(chunk_sizes, first_offset))),
      ...track.rollDescription,
      ...track.rollGroup(sizes.length),
    ]);
  const head_bytes = file_type.length + write(0).length + 8;
  if (head_bytes + data_bytes >= MAX_BYTES) throw new Error("a recording must be smaller than 4 GiB");
  const data_head = box("mdat").slice();
  data_head.set(int32(data_bytes + 8));
  return join([file_type, write(head_bytes), data_head]);
}

/** ISO/IEC 14496-12, section 8.7.4: all chunks have the same number of packets, but perhaps the last. */
function sampleToChunk(packet_count: number, chunk_count: number): Bytes {
  const last = packet_count - (chunk_count - 1) * CHUNK_PACKETS;
  const entries: [first_chunk: number, packets: number][] = [];
  if (chunk_count > 1 || last === CHUNK_PACKETS) entries.push([1, CHUNK_PACKETS]);
  if (last !== CHUNK_PACKETS) entries.push([chunk_count, last]);
  return fullBox(
    "stsc",
    0,
    0,
    int32(entries.length),
    ...entries.map(([first, packets]) => int32List([first, packets, 1])),
  );
}

function offsetsOf(chunk_sizes: readonly number[], first_offset: number): number[] {
  let offset = first_offset;
  return chunk_sizes.map((bytes) => {
    const began = offset;
    offset += bytes;
    return began;
  });
}
