import { log } from "../kernel/log.ts";
import type { EventRow, Outlet } from "./collector.ts";

/** Writes each row as a line of the log. Always active; other outlets get the same rows. */
export const logRows: Outlet = (rows) => {
  for (const { type, ...row } of rows) log("info", { message: type, ...row });
};

/**
 * Writes each row to a Workers Analytics Engine dataset. Queries name columns by position: append columns, never
 * reorder them.
 */
export function writeToDataset(dataset: AnalyticsEngineDataset): Outlet {
  return (rows) => {
    for (const { type, user_id, pattern, path, build, name, place, value } of rows) {
      dataset.writeDataPoint({
        indexes: [type],
        blobs: [type, user_id, pattern, path, build, name, place],
        doubles: [value],
      });
    }
  };
}

const GA4_URL = "https://www.google-analytics.com/mp/collect";

/**
 * Sends page views to a Google Analytics 4 property from the server. No tag runs in browsers, and no address or cookie
 * leaves. Inactive unless the deployment names a property. Source: GA4, Measurement Protocol.
 */
export function sendToTag(
  { id, secret }: { id: string; secret: string },
  { fetch, waitUntil }: { fetch: typeof globalThis.fetch; waitUntil: (promise: Promise<unknown>) => void },
): Outlet {
  const url = `${GA4_URL}?${new URLSearchParams({ measurement_id: id, api_secret: secret })}`;
  const sendPageView = async ({ user_id, path, pattern }: EventRow) => {
    // A visitor gets a new id for every page, so that nothing can recognise them again.
    const client_id = user_id ?? crypto.randomUUID();
    const events = [{ name: "page_view", params: { page_path: path, page_pattern: pattern } }];
    const body = JSON.stringify({ client_id, ...(user_id && { user_id }), events });
    const answered = await fetch(url, { method: "POST", body, signal: AbortSignal.timeout(5000) });
    if (!answered.ok) throw new Error(`status ${answered.status}`);
  };
  return (rows) => {
    for (const row of rows.filter(({ type }) => type === "page_view")) {
      waitUntil(
        sendPageView(row).catch((error) =>
          log("error", { message: "a page view was not passed on", error: String(error) }),
        ),
      );
    }
  };
}
