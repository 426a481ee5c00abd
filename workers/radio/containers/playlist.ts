import { SAMPLE_RATE } from "../../contract/sound-chunks.ts";
import type { Track } from "./track.ts";

/**
 * Returns a live playlist (RFC 8216). Its addresses are relative, so a player keeps the token of the playlist's own
 * address.
 *
 * @param first the number of its first segment.
 * @param end the number after its last segment.
 * @param is_ended whether no segment will follow.
 */
export function livePlaylist(
  { name, segment_packets, packet_samples }: Track,
  { first, end, is_ended }: { first: number; end: number; is_ended: boolean },
): string {
  const duration_s = (segment_packets * packet_samples) / SAMPLE_RATE;
  const numbers = Array.from({ length: end - first }, (_, index) => first + index);
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    `#EXT-X-TARGETDURATION:${Math.round(duration_s)}`,
    `#EXT-X-MEDIA-SEQUENCE:${first}`,
    "#EXT-X-INDEPENDENT-SEGMENTS",
    `#EXT-X-MAP:URI="${name}/init.mp4"`,
    ...numbers.flatMap((number) => [`#EXTINF:${duration_s.toFixed(5)},`, `${name}/${number}.m4s`]),
    ...(is_ended ? ["#EXT-X-ENDLIST"] : []),
    "",
  ].join("\n");
}
