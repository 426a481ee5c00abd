import { type Gauge, LATENCY_BOUNDS_S, type RouteFigures, type WorkerFigures } from "../kernel/request-meter.ts";

/** Source: OpenMetrics 1.0, section "Protocol negotiation". */
export const OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const REQUESTS = "ofuse_requests";
const DURATIONS = "ofuse_request_duration_seconds";

/** Every gauge that a worker may tell, with what it means. Others are left out. */
const gauges: Readonly<Record<string, string>> = {
  ofuse_worker_up: "Whether the worker told its figures.",
  ofuse_outbox_waiting_rows: "Rows of the outbox that wait for their reactions, at most 10000.",
  ofuse_outbox_oldest_seconds: "Age of the oldest waiting row of the outbox.",
  ofuse_outbox_given_up_rows: "Rows of the outbox that failed 20 times and wait for an operator.",
  ofuse_mails_waiting: "Mails that wait to be sent, at most 10000.",
  ofuse_mails_oldest_seconds: "Age of the oldest waiting mail.",
  ofuse_mails_failed: "Mails of the last 30 days that were given up.",
  ofuse_ledger_difference_yen: "By how much the newest transfers do not sum to zero. Must be 0.",
  ofuse_clock_step_ended_timestamp_seconds: "When the step of the clock last ended.",
  ofuse_clock_step_done_timestamp_seconds: "When the step of the clock last ended without a failure.",
  ofuse_clock_step_duration_seconds: "How long the last run of the step took.",
  ofuse_clock_step_failed: "Whether the last run of the step failed.",
};

/** Writes the figures of the workers in the OpenMetrics text format. A worker without figures did not answer. */
export function writeOpenMetrics(workers: Readonly<Record<string, WorkerFigures | null>>): string {
  const answered = Object.entries(workers).flatMap(([worker, figures]) => (figures ? [{ worker, ...figures }] : []));
  const up = Object.entries(workers).map(([worker, figures]) => ({
    name: "ofuse_worker_up",
    labels: { worker },
    value: figures ? 1 : 0,
  }));
  const told = [...up, ...answered.flatMap((figures) => figures.gauges)];
  const routes = answered.flatMap(({ worker, requests }) => requests.map((figures) => ({ worker, figures })));
  return [
    `# TYPE ${REQUESTS} counter`,
    `# HELP ${REQUESTS} Requests that this isolate of the worker answered.`,
    ...routes.flatMap(({ worker, figures }) => requestLines(worker, figures)),
    `# TYPE ${DURATIONS} histogram`,
    `# UNIT ${DURATIONS} seconds`,
    `# HELP ${DURATIONS} Time until the answer began, in this isolate of the worker.`,
    ...routes.flatMap(({ worker, figures }) => durationLines(worker, figures)),
    ...Object.entries(gauges).flatMap(([name, help]) => gaugeLines(name, help, told)),
    "# EOF",
    "",
  ].join("\n");
}

function requestLines(worker: string, { route, statuses }: RouteFigures): string[] {
  return Object.entries(statuses).map(([status, count]) =>
    sample(`${REQUESTS}_total`, { worker, route, status }, count),
  );
}

function durationLines(worker: string, { route, buckets, sum_s }: RouteFigures): string[] {
  let below = 0;
  const lines = buckets.map((count, index) => {
    below += count;
    const bound = LATENCY_BOUNDS_S[index];
    return sample(`${DURATIONS}_bucket`, { worker, route, le: bound === undefined ? "+Inf" : floatOf(bound) }, below);
  });
  return [
    ...lines,
    sample(`${DURATIONS}_count`, { worker, route }, below),
    sample(`${DURATIONS}_sum`, { worker, route }, sum_s),
  ];
}

function gaugeLines(name: string, help: string, told: readonly Gauge[]): string[] {
  const own = told.filter((gauge) => gauge.name === name);
  if (own.length === 0) return [];
  const unit = /_(seconds|yen|rows)$/.exec(name)?.[1];
  return [
    `# TYPE ${name} gauge`,
    ...(unit ? [`# UNIT ${name} ${unit}`] : []),
    `# HELP ${name} ${help}`,
    ...own.map(({ labels, value }) => sample(name, labels, value)),
  ];
}

/** A bound is written as a float. Source: OpenMetrics 1.0, section "Considerations: Canonical Numbers". */
const floatOf = (bound: number) => (Number.isInteger(bound) ? bound.toFixed(1) : String(bound));

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

function sample(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${label}="${text.replace(/[\\"\n]/g, (character) => escapes[character] ?? "")}"`,
  );
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}`;
}
