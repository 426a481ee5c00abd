/** How long a form waits for its answer. */
const ANSWER_MS = 30_000;

/**
 * Ends the request of a form that gets no answer. The form then says that no server answered, and can be sent again. The router
 * sends forms to addresses that end in `.data`. Returns a function that stops it.
 */
export function limitWaiting(): () => void {
  const { fetch } = window;
  window.fetch = (address, init) => {
    const is_form = init?.method === "POST" && /\.data(?:\?|$)/.test(String(address));
    return fetch(address, is_form ? { ...init, signal: withLimit(init.signal) } : init);
  };
  return () => {
    window.fetch = fetch;
  };
}

/** Returns a signal that also aborts after the limit. Safari before 17.4 has no `AbortSignal.any`, and waits without a limit. */
function withLimit(signal: AbortSignal | null | undefined): AbortSignal | null | undefined {
  const limit = AbortSignal.timeout(ANSWER_MS);
  return signal ? (AbortSignal.any?.([signal, limit]) ?? signal) : limit;
}
