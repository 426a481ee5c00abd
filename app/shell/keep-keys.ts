import { addressOf } from "../forms/kept-words.ts";
import { KEY_FIELD, keyToSend } from "../forms/sent-keys.ts";

/**
 * Sends every form under its first idempotency key until the app has answered it, although the page may have loaded a new key
 * meanwhile. Without it, a payout whose answer was lost would be paid twice. Returns a function that stops it.
 */
export function keepKeys(): () => void {
  const putKey = ({ target }: Event) => {
    const form = target as HTMLFormElement;
    const field = form.elements.namedItem(KEY_FIELD);
    if (!(field instanceof HTMLInputElement)) return;
    field.value = keyToSend(addressOf(new URL(form.action).pathname, new FormData(form)), new FormData(form));
  };
  // In the capture phase, before the router reads the form.
  addEventListener("submit", putKey, true);
  return () => removeEventListener("submit", putKey, true);
}
