/**
 * Simulates how many requests reach the Durable Object of a radio when people listen in many data centres. Each has a cache; a playlist
 * is fresh for a second, a segment stays. A request that misses asks the object, and those of the same isolate that come before its
 * answer wait for it (workers/radio/shared-reads.ts).
 */
import { randomNumbers } from "../faults/broadcast.ts";

const SECONDS = 20;
const SEGMENT_MS = 2000;
const PLAYLIST_FRESH_MS = 1000;
/** From a data centre to the object and back. */
const ROUND_TRIP_MS = 150;
/** Isolates that answer for one data centre at the same time. */
const ISOLATES = 8;
const REPORT_MS = 10_000;
/** The waits of the player: app/radio/listen.ts. */
const [AFTER_NEW_MS, AFTER_NONE_MS] = [1600, 600];

export interface GrowthRow {
  listeners: number;
  data_centres: number;
  object_requests_per_s: number;
  /** Of all requests, those that a cache answered. */
  cached_percent: number;
}

/** One data centre: what its cache has, and what its isolates have asked for. */
class DataCentre {
  requests = 0;
  object_requests = 0;
  /** Until when the cached playlist is fresh, and the segment at its end. */
  #fresh_until_ms = Number.NEGATIVE_INFINITY;
  #end = 0;
  readonly #segments = new Map<number, number>();
  readonly #asking = new Map<string, number>();
  readonly #reported_ms = new Map<number, number>();

  /** Answers a playlist. Returns the number of its last segment, and when the answer arrives. */
  readPlaylist(at_ms: number, isolate: number): { end: number; answered_ms: number } {
    this.#report(at_ms, isolate);
    if (at_ms < this.#fresh_until_ms) return { end: this.#end, answered_ms: at_ms };
    const answered_ms = this.#ask(`playlist ${isolate}`, at_ms);
    this.#end = Math.floor(answered_ms / SEGMENT_MS);
    this.#fresh_until_ms = answered_ms + PLAYLIST_FRESH_MS;
    return { end: this.#end, answered_ms };
  }

  readSegment(number: number, at_ms: number, isolate: number): void {
    this.requests++;
    const cached_ms = this.#segments.get(number);
    if (cached_ms !== undefined && at_ms >= cached_ms) return;
    const answered_ms = this.#ask(`segment ${number} ${isolate}`, at_ms);
    this.#segments.set(number, Math.min(cached_ms ?? answered_ms, answered_ms));
  }

  /** Asks the object, unless the isolate waits for the same answer. Returns when it arrives. */
  #ask(key: string, at_ms: number): number {
    const expected_ms = this.#asking.get(key) ?? Number.NEGATIVE_INFINITY;
    if (expected_ms > at_ms) return expected_ms;
    this.object_requests++;
    this.#asking.set(key, at_ms + ROUND_TRIP_MS);
    return at_ms + ROUND_TRIP_MS;
  }

  #report(at_ms: number, isolate: number): void {
    this.requests++;
    if (at_ms - (this.#reported_ms.get(isolate) ?? Number.NEGATIVE_INFINITY) < REPORT_MS) return;
    this.#reported_ms.set(isolate, at_ms);
    this.object_requests++;
  }
}

/** Simulates some seconds. The n-th data centre has 1/n of the listeners of the first. */
export function simulateGrowth(listeners: number, data_centres: number): GrowthRow {
  const draw = randomNumbers(listeners + data_centres);
  const weights = Array.from({ length: data_centres }, (_, rank) => 1 / (rank + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  let [requests, object_requests] = [0, 0];
  for (const weight of weights) {
    const centre = new DataCentre();
    const share = (listeners * weight) / sum;
    const own = Math.floor(share) + (draw() < share % 1 ? 1 : 0);
    // Asks in the order of time, so that each sees the cache as it is then.
    const players = Array.from({ length: own }, () => ({ at_ms: draw() * SEGMENT_MS, next: 0 }));
    for (let tick_ms = 0; tick_ms < SECONDS * 1000; tick_ms += 10) {
      for (const player of players) {
        if (player.at_ms >= tick_ms + 10) continue;
        const isolate = Math.floor(draw() * ISOLATES);
        const { end, answered_ms } = centre.readPlaylist(player.at_ms, isolate);
        const is_new = end >= player.next;
        if (is_new) centre.readSegment(end, answered_ms, isolate);
        player.next = Math.max(player.next, end + 1);
        player.at_ms = answered_ms + (is_new ? AFTER_NEW_MS : AFTER_NONE_MS);
      }
    }
    requests += centre.requests;
    object_requests += centre.object_requests;
  }
  return {
    listeners,
    data_centres,
    object_requests_per_s: Number((object_requests / SECONDS).toFixed(1)),
    cached_percent: Number((100 * (1 - object_requests / Math.max(requests, 1))).toFixed(2)),
  };
}
