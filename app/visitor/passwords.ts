/**
 * Activates the checkboxes that show a password on visitors' pages. Depends on the markup of app/ui/password-field.tsx.
 */
export function startShowingPasswords(): void {
  for (const tick of document.querySelectorAll<HTMLInputElement>("input[data-shows]")) {
    const password = document.getElementById(tick.dataset.shows ?? "") as HTMLInputElement | null;
    if (!password || !tick.parentElement) continue;
    const showPassword = (is_shown: boolean) => {
      tick.checked = is_shown;
      password.type = is_shown ? "text" : "password";
    };
    tick.parentElement.classList.remove("not-yet");
    tick.addEventListener("change", () => showPassword(tick.checked));
    // Hide the password before submitting: otherwise browsers would store it as a normal text field's value.
    tick.form?.addEventListener("submit", () => showPassword(false));
  }
}
