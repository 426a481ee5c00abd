import { announceUnsent, UNREACHED } from "../v4/unsent.ts";

/**
 * Stops forms from being sent while the browser is offline. Otherwise the router would fail to load the script that
 * handles the answer, reload the document, and lose the page.
 */
export function keepFormsWhileOffline(): () => void {
  const keepForm = (event: SubmitEvent) => {
    const form = event.target as HTMLFormElement;
    // Allow the theme form, which works without a server.
    if (navigator.onLine || form.method !== "post" || form.matches(".theme-form")) return;
    event.preventDefault();
    event.stopPropagation();
    announceUnsent(UNREACHED, { is_told: false });
  };
  addEventListener("submit", keepForm, true);
  return () => removeEventListener("submit", keepForm, true);
}
