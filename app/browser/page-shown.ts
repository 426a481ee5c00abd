import { sendPageView, shownPattern } from "./collect.ts";
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
  // Not over plain http, where browsers make no random ids.
  const visit_id = shownPattern().includes("events/:event_id") && !eventVisitId.read() && crypto.randomUUID?.();
  if (visit_id) eventVisitId.write(visit_id);
  const is_search = location.pathname === "/search" && new URLSearchParams(location.search).has("keyword");
  // Loaded where it is used, which is one page.
  if (is_new && is_search) import("./scroll-to-results.ts").then((loaded) => loaded.scrollToResults()).catch(() => {});
}
