/** A live playlist as the server writes it (workers/radio/containers/playlist.ts). All its segments have one length. */
export interface LivePlaylist {
  /** The address of the initialization segment. */
  init: string;
  /** The number of its first segment, and the one after its last. A segment's time follows from its number. */
  first: number;
  end: number;
  segment_s: number;
  /** The address of any segment, also of one that does not exist yet. */
  addressOf(number: number): string;
  /** Whether the radio has ended, and no segment will follow. */
  is_ended: boolean;
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
  const addressOf = (number: number) =>
    resolveAddress((names[0] as string).replace(/(?<!\d)\d+(?=\.m4s$)/, String(number)), address);
  const is_ended = lines.includes("#EXT-X-ENDLIST");
  return { init: resolveAddress(init, address), first, end: first + names.length, segment_s, is_ended, addressOf };
}

/** Resolves a relative address against an address of this site, which has no origin. */
function resolveAddress(relative: string, base: string): string {
  const { pathname, search } = new URL(relative, new URL(base, "https://site.invalid"));
  return pathname + search;
}
