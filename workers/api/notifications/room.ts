import { ALL_READ, HAS_UNREAD, NEW_NOTIFICATION, TELLS_READ } from "../../contract/notification-watch.ts";
import { LiveRoom } from "../../live/room.ts";
import { openDatabase } from "../storage/database.ts";

/** The sockets of one member's open pages. It says only whether there is something to read; the pages ask for it. */
export class NotificationRoom extends LiveRoom<ApiEnv> {
  /**
   * Tells the member's pages of a new notification, or that none is unread. When no page is open, the member's row in
   * `open_pages` is deleted. A page that connects meanwhile waits, and then writes the row again.
   *
   * @param has_unread left out by a worker of an earlier version, which calls only for a new notification.
   */
  async tell(user_id: string, has_unread = true): Promise<void> {
    if (this.hasSockets()) return has_unread ? this.send(NEW_NOTIFICATION) : this.send(ALL_READ, TELLS_READ);
    await this.ctx.blockConcurrencyWhile(async () => {
      await openDatabase(this.env.DB).deleteFrom("open_pages").where("user_id", "=", user_id).execute();
    });
  }

  /** Tells the page whose socket has this tag whether notifications are unread. The same holds for `has_unread`. */
  greet(tag: string, has_unread = true): void {
    this.send(has_unread ? HAS_UNREAD : ALL_READ, tag);
  }
}
