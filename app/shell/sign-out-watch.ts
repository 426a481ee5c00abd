import {
  SIGNED_OUT,
  SIGNED_OUT_MESSAGE,
  WATCHED_ELSEWHERE,
  WITHOUT_SESSION,
} from "../../workers/contract/sign-out-watch.ts";
import { forgetMember } from "../browser/forget-member.ts";
import type { WatchedDocument } from "../routes/session-state.ts";
import { hasUnsentWords, lookAtWords } from "./unsent-words.ts";

/**
 * Hears from the server that this sign-in has ended elsewhere, and shows the page as it is then. Loaded once a member's page
 * has nothing else to do.
 */

const PATIENCE_MS = [1000, 2000, 5000, 15_000, 60_000];
/** Some networks drop a connection on which nothing is said. The platform answers by itself. */
const PING_MS = 50_000;
const ON_ITS_WAY_MS = 500;

/**
 * Watches until the page goes.
 *
 * @param onKept is told instead of leaving when the page has words that were not sent.
 * @param isBusy whether the page is on its way elsewhere: it may be the person who signs out, and is led on by that.
 */
export function watchSignOut(onKept: () => void, isBusy: () => boolean): () => void {
  let is_open = true;
  let is_sending = false;
  let failures = 0;
  let socket: WebSocket | undefined;
  let stop: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function signedOut() {
    if (!is_open) return;
    if (is_sending || isBusy()) return later();
    close();
    forgetMember();
    if (hasUnsentWords()) onKept();
    // The server knows: it closes the session, and says so on the page it leads to. Without a hash it is another document.
    else location.replace(location.pathname + location.search);
  }

  /**
   * What ended it may be another page of this browser, which has the sign-in that follows on its way: the server is asked when
   * that has come.
   */
  function heard() {
    if (!is_open) return;
    socket = undefined;
    stop?.();
    clearTimeout(timer);
    timer = setTimeout(async () => {
      await ask();
      if (is_open) later();
    }, ON_ITS_WAY_MS);
  }

  function later() {
    const most = PATIENCE_MS[Math.min(failures++, PATIENCE_MS.length - 1)] as number;
    clearTimeout(timer);
    // Not all at once, after a deployment say.
    timer = setTimeout(connect, most / 2 + (Math.random() * most) / 2);
  }

  async function ask(query = ""): Promise<Response | null> {
    try {
      const answer = await fetch(`/session/state.json${query}`);
      if (!is_open) return null;
      if (answer.status === 401) signedOut();
      else if (answer.ok) return answer;
    } catch {
      // Offline: asked again later.
    }
    return null;
  }

  async function watchDocument() {
    const answer = await ask("?watch=1");
    if (!answer || answer.status === 204) return later();
    const watched = (await answer.json()) as WatchedDocument;
    const { watchFirestore } = await import("./firestore-watch.ts");
    if (!is_open) return;
    stop?.();
    stop = watchFirestore(watched, heard, later);
  }

  function connect() {
    if (!is_open) return;
    const opened = new WebSocket(`${location.origin.replace(/^http/, "ws")}/session/watch`);
    let ping: ReturnType<typeof setInterval> | undefined;
    socket = opened;
    opened.onopen = () => {
      opened.send("ping");
      ping = setInterval(() => opened.send("ping"), PING_MS);
    };
    opened.onmessage = ({ data }) => {
      failures = 0;
      if (data === SIGNED_OUT_MESSAGE && socket === opened) heard();
    };
    opened.onclose = async ({ code }) => {
      clearInterval(ping);
      if (!is_open || socket !== opened) return;
      if (code === SIGNED_OUT) heard();
      else if (code === WATCHED_ELSEWHERE) await watchDocument().catch(later);
      else {
        if (code === WITHOUT_SESSION) await ask();
        if (is_open) later();
      }
    };
  }

  function close() {
    is_open = false;
    lookAway();
    clearTimeout(timer);
    socket?.close();
    stop?.();
    removeEventListener("submit", send);
    removeEventListener("pagehide", leave);
    removeEventListener("pageshow", comeBack);
  }

  /** A page with an open connection would not be kept for the way back. */
  function leave() {
    socket?.close();
    socket = undefined;
    stop?.();
    clearTimeout(timer);
  }
  function comeBack({ persisted }: PageTransitionEvent) {
    if (!persisted) return;
    is_sending = false;
    connect();
  }
  /** A form that the browser sends by itself: the page goes with its answer. */
  function send({ defaultPrevented }: Event) {
    is_sending ||= !defaultPrevented;
  }
  const lookAway = lookAtWords();
  addEventListener("submit", send);
  addEventListener("pagehide", leave);
  addEventListener("pageshow", comeBack);
  connect();
  return close;
}
