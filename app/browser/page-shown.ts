import { asksNotToBeTracked, sendPageView, shownPattern } from "./collect.ts";
import { eventVisitId, lastViewCreatorId } from "./stored-keys.ts";

/**
 * Runs for every page that is shown, to visitors and members.
 * @param is_new false after going back or reloading, where the browser restores the scroll position.
 * @param from "" for a page that a script has shown after another of ours: the document's referrer led to the first.
 */
export function pageShown(is_new: boolean, from?: string): void {
  sendPageView();
  const { creatorId } = document.querySelector<HTMLElement>("[data-creator-id]")?.dataset ?? {};
  if (creatorId) lastViewCreatorId.write(creatorId);
  if (shownPattern().endsWith("/events/:event_id")) countVisit(`${location.pathname}/visit`, from);
  if (is_new) scrollToSearch();
}

/** Scrolls to the results if the page answers a search form. An empty form leads to the page with a fragment. */
export function scrollToSearch(): void {
  // Load this script on demand, because only the search page needs it.
  if (/^[^?#]+\/search(\?.*keyword=|#)/.test(location.href))
    import("./scroll-to-results.ts").then((loaded) => loaded.scrollToResults()).catch(() => {});
}

/**
 * Counts a visit of a post or a listener of a radio at an address, once per browser. A browser without storage is not
 * counted, because every page view would count. Does nothing without an address.
 * @param from the page that led here, of which only the host is sent: the rest may say something of the reader.
 */
export function countVisit(address: string, from = document.referrer): void {
  if (!address || asksNotToBeTracked()) return;
  // Browsers have no `crypto.randomUUID` over plain http.
  const visit_id = eventVisitId.read() ?? crypto.randomUUID?.();
  if (!visit_id) return;
  eventVisitId.write(visit_id);
  if (eventVisitId.read() !== visit_id) return;
  navigator.sendBeacon(address, new URLSearchParams({ visit_id, referrer: from.split("/")[2] || "" }));
}
