import { HAS_UNREAD, NEW_NOTIFICATION } from "../../contract/notification-watch.ts";
import { LiveRoom } from "../../live/room.ts";
import { openDatabase } from "../storage/database.ts";

/** The sockets of one member's open pages. It says only that there is something to read; the pages ask for it. */
export class NotificationRoom extends LiveRoom<ApiEnv> {
  /**
   * Tells the member's pages of a new notification. When no page is open, the member's row in `open_pages` is deleted. A
   * page that connects meanwhile waits, and then writes the row again.
   */
  async tell(user_id: string): Promise<void> {
    if (this.hasSockets()) return this.send(NEW_NOTIFICATION);
    await this.ctx.blockConcurrencyWhile(async () => {
      await openDatabase(this.env.DB).deleteFrom("open_pages").where("user_id", "=", user_id).execute();
    });
  }

  /** Tells the page whose socket has this tag that notifications are unread. */
  greet(tag: string): void {
    this.send(HAS_UNREAD, tag);
  }
}
