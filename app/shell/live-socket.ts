/**
 * How often the page pings the server, because some networks drop an idle connection. Cloudflare answers pings without
 * waking the worker.
 */
const PING_MS = 50_000;

interface SocketEvents {
  /** Called with each message of the server: the connection works. */
  onMessage(message: string): void;
  /** Called when the connection was lost or refused, with a close code of contract/sign-out-watch.ts or any other. */
  onLost(code: number): void;
}

/** Opens a WebSocket to a path of workers/web/session-watch.ts. Returns a function that closes it; after that no event is called. */
export function openLiveSocket(path: string, { onMessage, onLost }: SocketEvents): () => void {
  const socket = new WebSocket(location.origin.replace(/^http/, "ws") + path);
  let is_closed = false;
  let ping: ReturnType<typeof setInterval> | undefined;
  socket.onopen = () => {
    socket.send("ping");
    ping = setInterval(() => socket.send("ping"), PING_MS);
  };
  socket.onmessage = ({ data }) => {
    if (!is_closed) onMessage(String(data));
  };
  socket.onclose = ({ code }) => {
    clearInterval(ping);
    if (!is_closed) onLost(code);
  };
  return () => {
    is_closed = true;
    socket.close();
  };
}
