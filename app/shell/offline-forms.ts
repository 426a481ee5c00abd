import { announceUnsent, NO_CONNECTION } from "../v4/unsent.ts";

/**
 * Keeps forms on the page while the browser is offline. What answers a form is loaded when the form is sent; when that cannot
 * be loaded the router loads the page anew, and of a page without connection nothing is left.
 */
export function keepFormsWhileOffline(): () => void {
  const keep = (event: SubmitEvent) => {
    const form = event.target as HTMLFormElement;
    // The theme needs nobody's answer.
    if (navigator.onLine || form.method !== "post" || form.matches(".theme-form")) return;
    event.preventDefault();
    event.stopPropagation();
    announceUnsent({ text: NO_CONNECTION, status: 503, is_closed: false }, { is_told: false });
  };
  addEventListener("submit", keep, true);
  return () => removeEventListener("submit", keep, true);
}
