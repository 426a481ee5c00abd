/** Measures requests a second and latency, at 16 connections. */
import autocannon from "autocannon";
import { medianOf } from "./figures.ts";

const CONNECTIONS = 16;

export interface LoadTarget {
  name: string;
  url: string;
  headers?: Record<string, string>;
}

export interface LoadFigure {
  name: string;
  requests_per_s: number;
  p50_ms: number;
  p99_ms: number;
}

async function loadTarget({ url, headers }: LoadTarget, seconds: number): Promise<Omit<LoadFigure, "name">> {
  const result = await autocannon({ url, headers, connections: CONNECTIONS, duration: seconds });
  const bad = result.non2xx + result.errors + result.timeouts;
  if (bad > 0) throw new Error(`${url}: ${bad} of ${result.requests.total} requests were not answered with 2xx`);
  const { p50, p99 } = result.latency;
  return { requests_per_s: Math.round(result.requests.average), p50_ms: p50, p99_ms: p99 };
}

/**
 * Loads every target in turn, for several rounds, so that a temporary disturbance of the machine affects all of them.
 * Each figure is the median of its rounds. Throws when an answer is not 2xx.
 */
export async function measureLoad(targets: LoadTarget[], rounds: number, seconds: number): Promise<LoadFigure[]> {
  for (const target of targets) await loadTarget(target, 1);
  const rows = targets.map(({ name }) => ({ name, rounds: [] as Omit<LoadFigure, "name">[] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, target] of targets.entries()) rows[index]?.rounds.push(await loadTarget(target, seconds));
  }
  return rows.map(({ name, rounds }) => ({
    name,
    requests_per_s: medianOf(rounds.map((figure) => figure.requests_per_s)),
    p50_ms: medianOf(rounds.map((figure) => figure.p50_ms)),
    p99_ms: medianOf(rounds.map((figure) => figure.p99_ms)),
  }));
}
