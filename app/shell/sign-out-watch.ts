import {
  SIGNED_OUT,
  SIGNED_OUT_MESSAGE,
  WATCHED_ELSEWHERE,
  type WatchedDocument,
  WITHOUT_SESSION,
} from "../../workers/contract/sign-out-watch.ts";
import { forgetMember } from "../browser/forget-member.ts";
import { openLiveSocket } from "../browser/live-socket.ts";
import { retryTimer } from "../browser/retry-timer.ts";
import { hasUnsentWords, watchTyping } from "./unsent-words.ts";

/**
 * Reloads the page when this sign-in ends elsewhere. Loaded when a member's page is idle.
 *
 * The server tells the page over a socket, or in some deployments through a document in Firestore. Either is only a
 * hint: the page then asks the server whether it is still signed in, and the server alone decides.
 */

/**
 * Another page of this browser may have replaced the sign-in by a new one. Wait for the new cookie before asking the
 * server.
 */
const NEW_SIGN_IN_MS = 500;

/**
 * Starts watching. Returns a function that stops it.
 * @param onKept called instead of reloading if the page has unsent text.
 * @param isBusy returns true during a navigation or while a form is sent. The member may be signing out here, and that
 * form redirects anyway.
 */
export function watchSignOut(onKept: () => void, isBusy: () => boolean): () => void {
  const page = followPage({ onHide: () => pause(), onReturn: () => connect() });
  const retry = retryTimer(() => connect());
  let is_stopped = false;
  let disconnect = () => {};

  function connect() {
    disconnect = openLiveSocket("/session/watch", {
      onMessage(message) {
        retry.reset();
        if (message === SIGNED_OUT_MESSAGE) checkSoon();
      },
      onLost: (code) => (code === SIGNED_OUT ? checkSoon() : void reconnect(code)),
    });
  }

  async function reconnect(code: number) {
    if (code === WATCHED_ELSEWHERE) return watchDocument().catch(retry.later);
    if (code === WITHOUT_SESSION) await fetchState();
    retry.later();
  }

  async function watchDocument() {
    const answer = await fetchState("?watch=1");
    if (!answer || answer.status === 204) return retry.later();
    const watched = (await answer.json()) as WatchedDocument;
    const { watchFirestore } = await import("./firestore-watch.client.ts");
    if (is_stopped) return;
    // Close the socket that was opened if the page was hidden and shown again meanwhile.
    disconnect();
    disconnect = watchFirestore(watched, checkSoon, retry.later);
  }

  function checkSoon() {
    if (is_stopped) return;
    disconnect();
    retry.after(NEW_SIGN_IN_MS, async () => {
      await fetchState();
      retry.later();
    });
  }

  /** Leaves the page if the session is not valid. Returns the server's answer, or null without a usable one. */
  async function fetchState(query = ""): Promise<Response | null> {
    const answer = await askForState(query);
    if (is_stopped || !answer) return null;
    if (answer.status === 401) leaveUnlessBusy();
    return answer.ok ? answer : null;
  }

  function leaveUnlessBusy() {
    if (page.isSending() || isBusy()) return retry.later();
    stop();
    leaveSignedOut(onKept);
  }

  function pause() {
    disconnect();
    retry.cancel();
  }

  function stop() {
    is_stopped = true;
    pause();
    retry.stop();
    page.unfollow();
  }

  connect();
  return stop;
}

/** Asks the server whether the session is valid. Returns null offline: the next retry asks again. */
const askForState = (query: string): Promise<Response | null> => fetch(`/session/state.json${query}`).catch(() => null);

/** Forgets the member and reloads the page. Calls `onKept` instead of reloading if the page has unsent text. */
function leaveSignedOut(onKept: () => void): void {
  const would_lose_words = hasUnsentWords();
  forgetMember();
  if (would_lose_words) onKept();
  // The server then closes the session and renders the visitor's page. Omit the URL's hash: with a hash, the browser
  // would not load a new document.
  else location.replace(location.pathname + location.search);
}

/**
 * Follows the page's lifecycle. `onHide` must close the connection, because browsers do not keep a page with an open
 * one in the back/forward cache.
 */
function followPage({ onHide, onReturn }: { onHide: () => void; onReturn: () => void }) {
  let is_sending = false;
  const stopWatchingTyping = watchTyping();
  /** A form that no script handles replaces the page by its answer. */
  const onSubmit = ({ defaultPrevented }: Event) => {
    is_sending ||= !defaultPrevented;
  };
  const onShow = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return;
    is_sending = false;
    onReturn();
  };
  addEventListener("submit", onSubmit);
  addEventListener("pagehide", onHide);
  addEventListener("pageshow", onShow);
  return {
    isSending: () => is_sending,
    unfollow() {
      stopWatchingTyping();
      removeEventListener("submit", onSubmit);
      removeEventListener("pagehide", onHide);
      removeEventListener("pageshow", onShow);
    },
  };
}
