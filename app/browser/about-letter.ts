import { hasAboutFanLetterOpened } from "./stored-keys.ts";

/**
 * Whoever begins their first letter is shown what one is: the explanation below the field opens, and stays closed from then
 * on. By their own hand, so nothing moves that they did not touch. The markup: routes/creator/letter-form.tsx.
 */
export function openAboutLetterOnce(): void {
  document.addEventListener("focusin", ({ target }) => {
    const form = (target as Element).closest("textarea")?.form;
    const about = form?.querySelector<HTMLDetailsElement>(".about-letter");
    if (about && !hasAboutFanLetterOpened.read()) about.open = true;
  });
  // Does not bubble.
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if ((target as Element).matches(".about-letter[open]")) hasAboutFanLetterOpened.write(true);
    },
    true,
  );
}
