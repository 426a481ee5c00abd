import { ALL_READ, NEW_NOTIFICATION, TELLS_READ } from "../../workers/contract/notification-watch.ts";
import { WATCHED_ELSEWHERE } from "../../workers/contract/sign-out-watch.ts";
import { openLiveSocket } from "../browser/live-socket.ts";
import { retryTimer } from "../browser/retry-timer.ts";

/**
 * Watches for notifications while the page is visible. Loaded when a member's page is idle. Returns a function that stops
 * it.
 *
 * @param onUnread called when there are unread notifications. `is_new` is false for those that the page was rendered
 * with.
 * @param onRead called when nothing is unread.
 */
export function watchNotifications(onUnread: (is_new: boolean) => void, onRead: () => void): () => void {
  const retry = retryTimer(connect);
  let disconnect = () => {};
  let connections = 0;

  function connect() {
    connections++;
    disconnect = openLiveSocket(`/session/notifications?${TELLS_READ}`, {
      onMessage(message) {
        retry.reset();
        if (message === ALL_READ) onRead();
        // After a pause, whatever is unread may have come meanwhile.
        else if (message !== "pong") onUnread(message === NEW_NOTIFICATION || connections > 1);
      },
      onLost: (code) => code !== WATCHED_ELSEWHERE && retry.later(),
    });
  }

  function pause() {
    retry.cancel();
    disconnect();
  }

  /** A hidden page holds no connection: nobody sees its dot, and browsers keep no such page for the back button. */
  function follow() {
    pause();
    if (document.visibilityState === "visible") connect();
  }

  follow();
  document.addEventListener("visibilitychange", follow);
  return () => {
    retry.stop();
    pause();
    document.removeEventListener("visibilitychange", follow);
  };
}
