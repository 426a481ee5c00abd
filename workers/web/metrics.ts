import { createHash, timingSafeEqual } from "node:crypto";
import { FIGURES_PATH } from "../contract/health.ts";
import { log } from "../kernel/log.ts";
import { request_meter } from "../kernel/request-log.ts";
import type { WorkerFigures } from "../kernel/request-meter.ts";
import { withTimeLimit } from "../kernel/time-limit.ts";
import type { Incoming } from "./incoming.ts";
import { OPEN_METRICS, writeOpenMetrics } from "./open-metrics.ts";

const MIN_KEY_LENGTH = 32;
const LIMIT_MS = 3000;

/** An optional secret: docs/operations.md, "Health and metrics". */
type WithKey = WebEnv & { METRICS_KEY?: string };

/** Whether the request has the key. Without a key of 32 characters nothing does. Takes the same time for every wrong key. */
export function hasMetricsKey({ request, env }: Incoming): boolean {
  const { METRICS_KEY: key = "" } = env as WithKey;
  const given = /^Bearer (\S+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  return timingSafeEqual(digest(key), digest(given)) && key.length >= MIN_KEY_LENGTH;
}

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Answers the figures of this isolate, of the isolates of other workers that answer, and of the databases. */
export async function answerMetrics(incoming: Incoming): Promise<Response> {
  const { env } = incoming;
  const asked = [env.API, env.IDENTITY, env.MAILS].map((worker) => askFigures(worker, incoming));
  const [api = null, identity = null, mails = null] = await Promise.all(asked);
  const web: WorkerFigures = { requests: request_meter.read(), gauges: [] };
  return new Response(writeOpenMetrics({ web, api, identity, mails }), {
    headers: { "content-type": OPEN_METRICS, "cache-control": "no-store", "x-content-type-options": "nosniff" },
  });
}

/** Returns null when the worker does not tell its figures in time: the others are still worth having. */
async function askFigures(worker: Fetcher, { request_id }: Incoming): Promise<WorkerFigures | null> {
  const ask = async () => {
    const headers = { "x-request-id": request_id };
    const answer = await worker.fetch(`http://worker.internal${FIGURES_PATH}`, { headers });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return (await answer.json()) as WorkerFigures;
  };
  try {
    return await withTimeLimit(ask(), LIMIT_MS);
  } catch (error) {
    log("error", { message: "figures are missing", request_id, error: String(error) });
    return null;
  }
}
