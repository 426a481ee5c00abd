/** A live playlist as the server writes it (workers/radio/containers/playlist.ts). All its segments have one length. */
export interface LivePlaylist {
  /** The address of the initialization segment. */
  init: string;
  segments: readonly LiveSegment[];
  segment_s: number;
  /** Whether the radio has ended, and no segment will follow. */
  is_ended: boolean;
}

interface LiveSegment {
  number: number;
  address: string;
  /** When the segment begins on the timeline of the media. Its time follows from its number. */
  start_s: number;
}

/**
 * Reads a playlist (RFC 8216). Returns null for anything else, such as a page of a captive network.
 *
 * @param address the playlist's own address. The addresses in it are relative to it, and inherit its token.
 */
export function readPlaylist(text: string, address: string): LivePlaylist | null {
  const lines = text.split(/\r?\n/);
  if (lines[0] !== "#EXTM3U") return null;
  const tag = (name: string) => lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1);
  const init = /URI="([^"]+)"/.exec(tag("#EXT-X-MAP") ?? "")?.[1];
  const first = Number(tag("#EXT-X-MEDIA-SEQUENCE"));
  const segment_s = Number.parseFloat(tag("#EXTINF") ?? "");
  const names = lines.filter((line) => line !== "" && !line.startsWith("#"));
  if (!init || !Number.isSafeInteger(first) || !(segment_s > 0) || names.length === 0) return null;
  const segments = names.map((name, index) => {
    const number = first + index;
    return { number, address: resolveAddress(name, address), start_s: number * segment_s };
  });
  return { init: resolveAddress(init, address), segments, segment_s, is_ended: lines.includes("#EXT-X-ENDLIST") };
}

/** Resolves a relative address against an address of this site, which has no origin. */
function resolveAddress(relative: string, base: string): string {
  const { pathname, search } = new URL(relative, new URL(base, "https://site.invalid"));
  return pathname + search;
}
