import { isRouteErrorResponse } from "react-router";
import type { Failure } from "./failure.ts";

/** Why a form from a member's page failed. */
export interface Unsent {
  /** The message for the person. */
  text: string;
  status: number;
  is_closed: boolean;
}

export const NO_CONNECTION = "通信できませんでした。電波の状態をご確認のうえ、もう一度お試しください。";
const TOO_LARGE = "送信された内容が大きすぎます。短くしてから、もう一度お試しください。";
const REFUSED = "この操作はできませんでした。ページを読み込み直して、もう一度お試しください。";

/**
 * Returns why the form failed.
 * @param error the value that calling the action threw: an error response, or a network error.
 */
export function unsentFor(error: unknown): Unsent {
  if (!isRouteErrorResponse(error)) {
    console.warn("the form was not sent", error);
    return { text: NO_CONNECTION, status: 503, is_closed: false };
  }
  const { status } = error;
  const { code, detail, request_id } = (error.data ?? {}) as Partial<Failure>;
  const is_closed = code === "under_maintenance";
  const text = detail ?? (status === 413 ? TOO_LARGE : REFUSED);
  const quoted = status >= 500 && request_id && !is_closed ? `（お問い合わせ番号：${request_id}）` : "";
  return { text: text + quoted, status, is_closed };
}

type Listener = (unsent: Unsent, is_told: boolean) => void;
const listeners = new Set<Listener>();

/** Adds a listener. Returns a function that unsubscribes it. */
export function onUnsent(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Tells all listeners that a form failed.
 * @param is_told whether the form shows the message itself.
 */
export function announceUnsent(unsent: Unsent, { is_told }: { is_told: boolean }): void {
  for (const listener of listeners) listener(unsent, is_told);
}
