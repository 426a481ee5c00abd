/** Why a form from a member's page failed. */
export interface Unsent {
  /** The message for the person. */
  text: string;
  status: number;
  is_closed: boolean;
}

/** No server answered for the form. */
export const UNREACHED: Unsent = {
  text: "通信できませんでした。電波の状態をご確認のうえ、もう一度お試しください。",
  status: 503,
  is_closed: false,
};

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
