import { OVERLAY_EVENTS, OVERLAY_PATH } from "../../workers/contract/overlay-names.ts";
import type { OverlayNews } from "../../workers/contract/streaming.ts";

/** How long the events may take to open, and how often the overlay asks without them. */
const OPENING_MS = 10_000;
const POLL_MS = 5000;

interface Feed {
  token: string;
  /** The number of the last letter that the page knows. */
  last_number: number;
  onNews(news: OverlayNews): void;
  onSettings(): void;
  onGone(): void;
}

/**
 * Brings the news of an overlay: by server-sent events, and where they do not come through, by asking every five seconds.
 * A letter is brought once, and after a drop those that were missed.
 */
export function openFeed({ token, last_number, onNews, onSettings, onGone }: Feed): void {
  const address = `${OVERLAY_PATH}${token}`;
  let is_gone = false;
  const take = (news: OverlayNews) => {
    const letters = news.letters.filter(({ number }) => number > last_number);
    last_number = Math.max(last_number, news.last_number);
    onNews({ ...news, letters });
  };
  const end = () => {
    is_gone = true;
    onGone();
  };

  function connect(): void {
    const source = new EventSource(`${address}/events?after=${last_number}`);
    const giveUp = () => {
      clearTimeout(opening);
      source.close();
      poll();
    };
    const opening = setTimeout(giveUp, OPENING_MS);
    source.addEventListener("open", () => clearTimeout(opening));
    // The browser connects again by itself, unless the answer was no stream of events.
    source.addEventListener("error", () => source.readyState === EventSource.CLOSED && giveUp());
    source.addEventListener(OVERLAY_EVENTS.news, ({ data }) => take(JSON.parse(data)));
    source.addEventListener(OVERLAY_EVENTS.settings, onSettings);
    source.addEventListener(OVERLAY_EVENTS.gone, () => {
      source.close();
      end();
    });
  }

  async function poll(): Promise<void> {
    const answer = await fetch(`${address}/news.json?after=${last_number}`).catch(() => null);
    if (answer?.status === 404) return end();
    const news = (answer?.ok ? await answer.json().catch(() => null) : null) as OverlayNews | null;
    if (news) take(news);
    if (!is_gone) setTimeout(connect, POLL_MS);
  }

  connect();
}
