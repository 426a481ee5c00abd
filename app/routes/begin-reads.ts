import { getEvent } from "../../workers/contract/events.ts";
import { id } from "../../workers/contract/fields.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import { getUser, LINK_ID } from "../../workers/contract/users.ts";
import { eventInput } from "../post/event-input.ts";
import type { V4 } from "../v4/client.ts";
import { beginMemberHome } from "./home/load-home.ts";

/** The read that says whether a member has unread notifications, for the shell. */
export const UNREAD = { query: { page_size: 1 } };

/** Starts the reads of a member's page that need nothing of the profile, so that they share its call. */
export function beginReads(
  v4: V4,
  url: URL,
  { link_id, event_id }: Readonly<Record<string, string | undefined>>,
): void {
  v4.begin(listNotifications, UNREAD);
  // An address with a query may be refused, and the loader does that.
  if (url.pathname === "/" && url.search === "") beginMemberHome(v4, url);
  if (!link_id || !LINK_ID.test(link_id)) return;
  v4.begin(getUser, { query: { link_id } });
  if (event_id && id.safeParse(event_id).success) v4.begin(getEvent, eventInput(event_id, url));
}
