/**
 * The size that an endless stream claims, because some players ask for a range first and play only what has a size. It
 * is below 2^53, the largest number that a player in JavaScript counts exactly.
 */
const ENDLESS_BYTES = 9_007_199_254_740_000;

/** The answer to a request for an endless stream, and how many bytes to send. */
export interface StreamAnswer {
  status: 200 | 206;
  headers: Record<string, string>;
  max_bytes: number;
}

/**
 * Answers a range of an endless stream: the sound of this moment, as many bytes as the range has. Players ask for two
 * bytes to try it, and after a lost connection for the rest from where they were. Every other header, such as a range
 * from the end, gets the whole stream, which RFC 9110, section 14.2, allows. So does `bytes=0-`: Chromium (156) looks for
 * the end of a stream whose size it knows, plays nothing, and crashes if the size is above 10^14.
 */
export function answerRange(range: string | null): StreamAnswer {
  const headers = { "content-type": "audio/aac", "cache-control": "no-store" };
  const [, first, last] = /^bytes=(\d{1,15})-(\d{0,16})$/.exec(range?.trim() ?? "") ?? [];
  const is_from_begin = Number(first) === 0 && last === "";
  if (first === undefined || is_from_begin) return { status: 200, headers, max_bytes: ENDLESS_BYTES };
  const begin = Number(first);
  const end = Math.min(last ? Number(last) : ENDLESS_BYTES, ENDLESS_BYTES - 1);
  if (end < begin) return { status: 200, headers, max_bytes: ENDLESS_BYTES };
  return {
    status: 206,
    headers: { ...headers, "accept-ranges": "bytes", "content-range": `bytes ${begin}-${end}/${ENDLESS_BYTES}` },
    max_bytes: end - begin + 1,
  };
}
