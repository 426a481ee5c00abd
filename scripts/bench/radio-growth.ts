/**
 * Simulates how many requests reach the Durable Object of a radio when people listen in many data centres. A player asks for each segment
 * before it exists. Players whose requests come to the same isolate share one request to the object, which is answered when the
 * segment is cut (workers/radio/shared-reads.ts). So no cache takes part.
 */
import { randomNumbers } from "../faults/broadcast.ts";

const SECONDS = 20;
/** Isolates that answer for one data centre at the same time. */
const ISOLATES = 8;
/** Each isolate reports its listeners so often. */
const REPORT_S = 10;

export interface GrowthRow {
  listeners: number;
  data_centres: number;
  object_requests_per_s: number;
  /** Of all requests, those that did not reach the object. */
  shared_percent: number;
}

/** Simulates some seconds, with a segment a second. The n-th data centre has 1/n of the listeners of the first. */
export function simulateGrowth(listeners: number, data_centres: number): GrowthRow {
  const draw = randomNumbers(listeners + data_centres);
  const weights = Array.from({ length: data_centres }, (_, rank) => 1 / (rank + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  let [requests, object_requests] = [0, 0];
  for (const weight of weights) {
    const share = (listeners * weight) / sum;
    const players = Math.floor(share) + (draw() < share % 1 ? 1 : 0);
    const reported_s = new Map<number, number>();
    for (let second = 0; second < SECONDS; second++) {
      const asking = new Set<number>();
      for (let player = 0; player < players; player++) asking.add(Math.floor(draw() * ISOLATES));
      requests += players;
      object_requests += asking.size;
      for (const isolate of asking) {
        if (second - (reported_s.get(isolate) ?? Number.NEGATIVE_INFINITY) < REPORT_S) continue;
        reported_s.set(isolate, second);
        object_requests++;
      }
    }
  }
  return {
    listeners,
    data_centres,
    object_requests_per_s: Number((object_requests / SECONDS).toFixed(1)),
    shared_percent: Number((100 * (1 - object_requests / Math.max(requests, 1))).toFixed(2)),
  };
}
