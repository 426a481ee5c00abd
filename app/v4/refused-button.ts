/** What React Router keeps in `window`, as far as this file reads it. */
interface RouterGlobals {
  __reactRouterDataRouter?: { state: { loaderData: object } };
}

const shownData = () => (window as RouterGlobals).__reactRouterDataRouter?.state.loaderData ?? null;

/** The data of the page on which a button was refused, until a reload replaces them. */
let refused_with: object | null = null;

/**
 * Returns the status of a refused button that the router shall see. The router loads no data after 400 and above. But what the
 * button is about has changed (409) or is gone (404), so the page is out of date and must be loaded again.
 */
export function reloadingStatus(status: number): number {
  if (status !== 404 && status !== 409) return status;
  refused_with = shownData();
  return 200;
}

/** Whether no reload has replaced the data with which the page's last button was refused. */
export const isAfterRefusal = (): boolean => refused_with !== null && refused_with === shownData();
