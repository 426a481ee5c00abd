import { HAS_UNREAD, NEW_NOTIFICATION } from "../../contract/notification-watch.ts";
import { LiveRoom } from "../../live/room.ts";

/** The sockets of one member's open pages. It says only that there is something to read; the pages ask for it. */
export class NotificationRoom extends LiveRoom<ApiEnv> {
  /** Tells the member's pages of a new notification. */
  tell(): void {
    this.send(NEW_NOTIFICATION);
  }

  /** Tells the page whose socket has this tag that notifications are unread. */
  greet(tag: string): void {
    this.send(HAS_UNREAD, tag);
  }
}
