import { SIGNED_OUT, SIGNED_OUT_MESSAGE } from "../../workers/contract/sign-out-watch.ts";

/**
 * How often the page pings the server, because some networks drop an idle connection. Cloudflare answers pings without
 * waking the worker.
 */
const PING_MS = 50_000;

interface SocketEvents {
  /** Called when the server sent a message: the connection works. */
  onMessage(): void;
  /** Called when the server says that the sign-in has ended. */
  onSignedOut(): void;
  /** Called when the connection was lost or refused, with a close code of contract/sign-out-watch.ts or any other. */
  onLost(code: number): void;
}

/** Opens a WebSocket to `/session/watch`. Returns a function that closes it; after that no event is called. */
export function openSignOutSocket({ onMessage, onSignedOut, onLost }: SocketEvents): () => void {
  const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/session/watch`);
  let is_closed = false;
  let ping: ReturnType<typeof setInterval> | undefined;
  socket.onopen = () => {
    socket.send("ping");
    ping = setInterval(() => socket.send("ping"), PING_MS);
  };
  socket.onmessage = ({ data }) => {
    if (is_closed) return;
    onMessage();
    if (data === SIGNED_OUT_MESSAGE) onSignedOut();
  };
  socket.onclose = ({ code }) => {
    clearInterval(ping);
    if (is_closed) return;
    if (code === SIGNED_OUT) onSignedOut();
    else onLost(code);
  };
  return () => {
    is_closed = true;
    socket.close();
  };
}
