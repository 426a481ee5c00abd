import { type DataStrategyResult, isRouteErrorResponse } from "react-router";
import type { Failure } from "./failure.ts";
import { isAfterRefusal, reloadingStatus } from "./refused-button.ts";
import { UNREACHED, type Unsent } from "./unsent.ts";

/** What React Router keeps in `window`, as far as this file reads it. */
interface RouterGlobals {
  __reactRouterDataRouter?: {
    state: {
      location: { pathname: string; search: string };
      loaderData: Record<string, unknown>;
      errors: object | null;
    };
  };
}

type Results = Record<string, DataStrategyResult>;

const TOO_LARGE = "送信された内容が大きすぎます。短くしてから、もう一度お試しください。";
const REFUSED = "この操作はできませんでした。ページを読み込み直して、もう一度お試しください。";
const BUSY = "ただいまサーバーが混み合っているようです。少し時間をおいて、もう一度お試しください。";

/**
 * Returns why the form failed.
 * @param error the value that calling the action threw: an error response, or a network error.
 */
export function unsentFor(error: unknown): Unsent {
  if (!isRouteErrorResponse(error)) {
    console.warn("the form was not sent", error);
    return UNREACHED;
  }
  const { status } = error;
  const { code, detail, request_id } = (error.data ?? {}) as Partial<Failure>;
  const is_closed = code === "under_maintenance";
  // Without a detail the answer may be of a server before the app. Nobody should leave a page with unsent words because of it.
  const is_busy = status >= 500 || status === 429;
  const text = detail ?? (status === 413 ? TOO_LARGE : is_busy ? BUSY : REFUSED);
  const quoted = status >= 500 && request_id && !is_closed ? `（お問い合わせ番号：${request_id}）` : "";
  return { text: text + quoted, status, is_closed };
}

/** Like {@link unsentFor}, for a form without text. Its page is loaded again when it is out of date. */
export function unsentButton(error: unknown): Unsent {
  const unsent = unsentFor(error);
  return { ...unsent, status: reloadingStatus(unsent.status) };
}

const listeners = new Set<() => void>();

/** Adds a listener of failed reloads. Returns a function that removes it. */
export function onFailedReload(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Leaves out what could not be loaded and the page already has: the router then keeps the page's data. A failed reload of the
 * page keeps all of them, because nobody has left the page. The reload after a refused button keeps them also when the page
 * itself is gone: its forms may have words. A failed navigation keeps the root's, so that the error page has the member's shell.
 */
export function keepLoaded(request: Request, results: Results): Results {
  const { __reactRouterDataRouter: router } = window as RouterGlobals;
  const answers = Object.entries(results);
  if (!router || answers.some(([, { result }]) => result instanceof Response)) return results;
  const { location: shown, loaderData, errors } = router.state;
  const is_reload = errors === null && request.url === new URL(shown.pathname + shown.search, location.origin).href;
  const is_after_refusal = is_reload && isAfterRefusal();
  let is_lost = false;
  const kept = answers.flatMap(([route, answer]): [string, DataStrategyResult][] => {
    if (answer.type !== "error") return [[route, answer]];
    const is_gone = isAnswerOfApp(answer.result);
    if (is_gone && !is_after_refusal) return [[route, answer]];
    if (route in loaderData && (is_reload || route === "root")) {
      is_lost ||= !is_gone;
      return [];
    }
    return [[route, { type: "error", result: toPageError(answer.result) }]];
  });
  if (is_reload && is_lost) for (const listener of listeners) listener();
  return Object.fromEntries(kept);
}

/** Whether the app answered that this member cannot have the page. Every other failure says nothing about the page. */
function isAnswerOfApp(error: unknown): boolean {
  if (!isRouteErrorResponse(error) || typeof error.data === "string") return false;
  return error.status < 500 && error.status !== 429;
}

/**
 * Returns the error for the error page. The page has the root's data of an earlier request, so it must not show that request's
 * id with the answer of a server before the app.
 */
function toPageError(error: unknown): unknown {
  if (!isRouteErrorResponse(error) || typeof error.data !== "string") return error;
  return { ...error, data: { request_id: "" } };
}
