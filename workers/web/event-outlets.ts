import type { EventRow, Outlet } from "./collector.ts";

/** A line of the log for each row. It is there everywhere; what else is bound is told the same. */
export const logged: Outlet = (rows) => {
  for (const { type, ...row } of rows) console.log(JSON.stringify({ message: type, ...row }));
};

/** A row of a Workers Analytics Engine dataset. The order of the columns is what queries name: never changed, only added to. */
export function inDataset(dataset: AnalyticsEngineDataset): Outlet {
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
 * Page views for a property of Google Analytics 4, sent from here: no tag runs in anybody's browser, and no address and no
 * cookie of theirs leaves. Off unless a deployment names the property. Source: GA4, Measurement Protocol.
 */
export function forTag(
  { id, secret }: { id: string; secret: string },
  { fetch, waitUntil }: { fetch: typeof globalThis.fetch; waitUntil: (promise: Promise<unknown>) => void },
): Outlet {
  const url = `${GA4_URL}?${new URLSearchParams({ measurement_id: id, api_secret: secret })}`;
  const send = async ({ user_id, path, pattern }: EventRow) => {
    // Who is not signed in is somebody else with every page: nothing is kept by which to know them again.
    const client_id = user_id ?? crypto.randomUUID();
    const events = [{ name: "page_view", params: { page_path: path, page_pattern: pattern } }];
    const body = JSON.stringify({ client_id, ...(user_id && { user_id }), events });
    const answered = await fetch(url, { method: "POST", body, signal: AbortSignal.timeout(5000) });
    if (!answered.ok) throw new Error(`status ${answered.status}`);
  };
  return (rows) => {
    for (const row of rows.filter(({ type }) => type === "page_view")) {
      waitUntil(
        send(row).catch((error) =>
          console.error(JSON.stringify({ message: "a page view was not passed on", error: String(error) })),
        ),
      );
    }
  };
}
