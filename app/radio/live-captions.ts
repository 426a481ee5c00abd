import { openLiveSocket } from "../browser/live-socket.ts";
import { retryTimer } from "../browser/retry-timer.ts";

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
  const retry = retryTimer(connect);
  let disconnect = () => {};
  let is_stopped = false;
  /** The events since the page was asked for: its answer may be older than they are. */
  let since: CaptionEvent[] = [];

  function connect() {
    let is_open = false;
    disconnect = openLiveSocket(`/session/chat/${list.dataset.captions}`, {
      onMessage(message) {
        if (message !== "pong") {
          const event = JSON.parse(message);
          since.push(event);
          applyEvent(list, event);
        } else if (!is_open) {
          // The first pong answers the first ping: the socket is open.
          is_open = true;
          retry.reset();
          void readAgain();
        }
      },
      onLost(code) {
        if (code !== ENDED) return retry.later();
        showEnd(list);
        void readAgain();
      },
    });
  }

  /** Makes the list that of the page now. A failure leaves it: the page has a link that reloads. */
  async function readAgain(): Promise<void> {
    since = [];
    const page = await fetch(location.pathname).then(
      (response) => (response.ok ? response.text() : null),
      () => null,
    );
    if (page === null || is_stopped) return;
    const now = new DOMParser().parseFromString(page, "text/html").querySelector("[data-captions]");
    if (!now) return;
    for (const event of since) applyEvent(now, event);
    replaceItems(list, [...now.children]);
  }

  connect();
  return () => {
    is_stopped = true;
    retry.stop();
    retry.cancel();
    disconnect();
  };
}

/** Leaves the items that stay in their place: a screen reader reads out each one that is inserted. */
function replaceItems(list: Element, items: readonly Element[]): void {
  const ids = new Set(items.map(({ id }) => id));
  for (const item of [...list.children]) if (!ids.has(item.id)) item.remove();
  for (const [index, item] of items.entries()) {
    const there = list.children[index] ?? null;
    if (there?.id !== item.id) list.insertBefore(list.children.namedItem(item.id) ?? item, there);
  }
}

/** The page stays as it is: the words of most radios are for nobody after the end. */
function showEnd(list: HTMLElement): void {
  for (const part of list.closest("article")?.querySelectorAll<HTMLElement>("[data-ended]") ?? []) {
    part.classList.remove("badge-new");
    part.textContent = part.dataset.ended ?? "";
  }
}

function applyEvent(list: Element, event: CaptionEvent): void {
  if (event.type === "caption_deleted") list.children.namedItem(event.caption_id)?.remove();
  if (event.type !== "caption") return;
  const { caption_id, words } = event.caption;
  if (list.children.namedItem(caption_id)) return;
  const item = document.createElement("li");
  item.id = caption_id;
  item.textContent = words;
  list.insertBefore(item, list.firstChild);
}
