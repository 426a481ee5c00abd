/** The longest and the shortest wait before the socket is opened again. */
const RETRY_MS = [2000, 30_000] as const;
/** Some networks drop an idle connection. */
const PING_MS = 50_000;
/** What this page reads of the events of a room: contract/chat-socket.ts. */
type CaptionEvent =
  | { type: "caption"; caption: { caption_id: string; words: string } }
  | { type: "caption_deleted"; caption_id: string }
  | { type: "other" };

/** The room says with this code that the radio has ended, or that its reader may not hear it: contract/chat-names.ts. */
const ENDED = 4410;

/**
 * Shows captions while they are written, for visitors and members. Depends on the markup of routes/creator/radio-text.tsx:
 * `list` has the newest caption first, and nobody else changes it. With each connection it reads the page again, so that
 * nothing is missing between the page and the socket.
 *
 * @returns a function that stops it.
 */
export function showLiveCaptions(list: HTMLElement): () => void {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ping: ReturnType<typeof setInterval> | undefined;
  let wait_ms: number = RETRY_MS[0];
  let is_stopped = false;
  /** The events since the page was asked for: its answer may be older than they are. */
  let since: CaptionEvent[] = [];

  function connect() {
    socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/session/chat/${list.dataset.captions}`);
    socket.onopen = () => {
      wait_ms = RETRY_MS[0];
      // A close may take ten seconds to reach a page that never sent anything.
      socket?.send("ping");
      ping = setInterval(() => socket?.send("ping"), PING_MS);
      void readAgain();
    };
    socket.onmessage = ({ data }) => {
      if (data === "pong") return;
      const event = JSON.parse(data);
      since.push(event);
      applyEvent(list, event);
    };
    socket.onclose = ({ code }) => {
      clearInterval(ping);
      if (is_stopped) return;
      if (code === ENDED) {
        showEnd(list);
        return void readAgain();
      }
      timer = setTimeout(connect, wait_ms * (0.5 + Math.random() / 2));
      wait_ms = Math.min(wait_ms * 2, RETRY_MS[1]);
    };
  }

  /** Replaces the list by that of the page now. A failure leaves it: the page has a link that reloads. */
  async function readAgain(): Promise<void> {
    since = [];
    const page = await fetch(location.pathname).then(
      (response) => (response.ok ? response.text() : null),
      () => null,
    );
    if (page === null || is_stopped) return;
    const now = new DOMParser().parseFromString(page, "text/html").querySelector("[data-captions]");
    if (!now) return;
    list.replaceChildren(...now.children);
    for (const event of since) applyEvent(list, event);
  }

  connect();
  return () => {
    is_stopped = true;
    clearTimeout(timer);
    clearInterval(ping);
    socket?.close();
  };
}

/** The page stays as it is: the words of most radios are for nobody after the end. */
function showEnd(list: HTMLElement): void {
  const badge = list.closest("article")?.querySelector(".badge");
  if (!badge) return;
  badge.className = "badge";
  badge.textContent = list.dataset.ended ?? "";
}

function applyEvent(list: HTMLElement, event: CaptionEvent): void {
  if (event.type === "caption_deleted") document.getElementById(event.caption_id)?.remove();
  if (event.type !== "caption") return;
  const { caption_id, words } = event.caption;
  if (document.getElementById(caption_id)) return;
  const item = document.createElement("li");
  item.id = caption_id;
  item.textContent = words;
  list.insertBefore(item, list.firstChild);
}
