/** Upper bounds of the histogram's buckets, in seconds. */
export const LATENCY_BOUNDS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** The counts of one route: `buckets` has one number more than there are bounds. */
export interface RouteFigures {
  route: string;
  /** By class: `2xx`. */
  statuses: Record<string, number>;
  buckets: number[];
  sum_s: number;
}

/** A number at this moment, for /api/metrics. The web worker's `open-metrics.ts` declares every name. */
export interface Gauge {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** What one worker contributes to /api/metrics. */
export interface WorkerFigures {
  requests: RouteFigures[];
  gauges: Gauge[];
}

/** Counts the requests of this isolate by route. Routes are patterns, so their number is bounded. */
export class RequestMeter {
  readonly #routes = new Map<string, RouteFigures>();

  count({ route, status, took_ms }: { route: string; status: number; took_ms: number }): void {
    const figures = this.#routes.get(route) ?? {
      route,
      statuses: {},
      buckets: Array<number>(LATENCY_BOUNDS_S.length + 1).fill(0),
      sum_s: 0,
    };
    this.#routes.set(route, figures);
    const status_class = `${Math.floor(status / 100)}xx`;
    figures.statuses[status_class] = (figures.statuses[status_class] ?? 0) + 1;
    const above = LATENCY_BOUNDS_S.findIndex((bound) => took_ms <= bound * 1000);
    const bucket = above < 0 ? LATENCY_BOUNDS_S.length : above;
    figures.buckets[bucket] = (figures.buckets[bucket] ?? 0) + 1;
    figures.sum_s += took_ms / 1000;
  }

  read(): RouteFigures[] {
    return [...this.#routes.values()];
  }
}
