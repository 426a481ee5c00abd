import { CHAT_ENDED, CHAT_SOCKET_PATH } from "../../workers/contract/chat-names.ts";
import type { ChatEvent } from "../../workers/contract/chat-socket.ts";
import { WATCHED_ELSEWHERE } from "../../workers/contract/sign-out-watch.ts";
import { openLiveSocket } from "../browser/live-socket.ts";
import { retryTimer } from "../browser/retry-timer.ts";

/**
 * Watches the chat of a radio while the page is visible. Loaded on need. Returns a function that stops it.
 *
 * @param onOpen called with each connection: what was said before is not repeated.
 * @param onEnd called when the radio has ended, or this person may no longer hear it.
 */
export function watchChat(
  radio_id: string,
  { onEvent, onOpen, onEnd }: { onEvent: (event: ChatEvent) => void; onOpen: () => void; onEnd: () => void },
): () => void {
  const retry = retryTimer(connect);
  let disconnect = () => {};

  function connect() {
    disconnect = openLiveSocket(CHAT_SOCKET_PATH + radio_id, {
      onMessage(message) {
        // The first pong answers the first ping: the socket is open.
        if (message !== "pong") return onEvent(JSON.parse(message));
        if (!is_open) onOpen();
        is_open = true;
        retry.reset();
      },
      onLost(code) {
        is_open = false;
        if (code === CHAT_ENDED) onEnd();
        else if (code !== WATCHED_ELSEWHERE) retry.later();
      },
    });
  }

  let is_open = false;
  function pause() {
    retry.cancel();
    disconnect();
    is_open = false;
  }
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
