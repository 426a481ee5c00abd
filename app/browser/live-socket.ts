/**
 * How often the page pings the server, because some networks drop an idle connection. Cloudflare answers pings without
 * waking the worker, and charges nothing for them.
 */
const PING_MS = 25_000;
/** A connection is lost when the server says nothing for so long after a ping. */
const SILENCE_MS = 10_000;

interface SocketEvents {
  /** Called with each message of the server: the connection works. */
  onMessage(message: string): void;
  /** Called when the connection was lost or refused, with a close code of contract/sign-out-watch.ts or any other. */
  onLost(code: number): void;
}

/**
 * Opens a WebSocket to a path of workers/web/session-watch.ts or workers/web/chat-socket.ts. Also finds a connection that
 * died without a close, as in a tunnel. Returns a function that closes it; after that no event is called.
 */
export function openLiveSocket(path: string, { onMessage, onLost }: SocketEvents): () => void {
  const socket = new WebSocket(location.origin.replace(/^http/, "ws") + path);
  let is_closed = false;
  let silence: ReturnType<typeof setTimeout> | undefined;
  const listen = () => {
    silence ??= setTimeout(lose, SILENCE_MS, 0);
  };
  const ping = () => {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send("ping");
    listen();
  };
  const pings = setInterval(ping, PING_MS);
  const close = () => {
    is_closed = true;
    clearTimeout(silence);
    clearInterval(pings);
    removeEventListener("online", ping);
    socket.close();
  };
  const lose = (code: number) => {
    if (is_closed) return;
    close();
    onLost(code);
  };
  socket.onopen = ping;
  socket.onmessage = ({ data }) => {
    if (is_closed) return;
    clearTimeout(silence);
    silence = undefined;
    onMessage(String(data));
  };
  socket.onclose = ({ code }) => lose(code);
  addEventListener("online", ping);
  listen();
  return close;
}
