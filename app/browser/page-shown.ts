import { isAskedNotTo, sendPageView, shownPattern } from "./collect.ts";
import { eventVisitId, lastViewCreatorId } from "./stored-keys.ts";

/**
 * What a browser does about a page it shows, a visitor's and a member's alike.
 *
 * @param is_new false for a page somebody comes back to, which stays where they had scrolled it.
 */
export function pageShown(is_new: boolean): void {
  sendPageView();
  const { creatorId } = document.querySelector<HTMLElement>("[data-creator-id]")?.dataset ?? {};
  if (creatorId) lastViewCreatorId.write(creatorId);
  if (shownPattern().endsWith("/events/:event_id")) tellVisit();
  const is_search = location.pathname === "/search" && new URLSearchParams(location.search).has("keyword");
  // Loaded where it is used, which is one page.
  if (is_new && is_search) import("./scroll-to-results.ts").then((loaded) => loaded.scrollToResults()).catch(() => {});
}

/**
 * Has the post on the page count this browser, which it does once. A browser that keeps nothing would count each time, so it
 * is told of none.
 */
function tellVisit(): void {
  if (isAskedNotTo()) return;
  // Not over plain http, where browsers make no random ids.
  const visit_id = eventVisitId.read() ?? crypto.randomUUID?.();
  if (!visit_id) return;
  eventVisitId.write(visit_id);
  if (eventVisitId.read() !== visit_id) return;
  navigator.sendBeacon(`${location.pathname}/visit`, new URLSearchParams({ visit_id }));
}
