import type { hasAboutFanLetterOpened } from "./stored-keys.ts";

/**
 * Opens the explanation below the letter's field when its writer enters that field for the first time in this browser. It opens
 * at the writer's own act, so that nothing moves by itself. The markup: routes/creator/letter-form.tsx.
 *
 * @param opened the stored key; an argument, because the visitors' scripts share no file.
 */
export function openAboutLetterOnce(opened: typeof hasAboutFanLetterOpened): void {
  document.addEventListener("focusin", ({ target }) => {
    const form = (target as Element).closest("textarea")?.form;
    const about = form?.querySelector<HTMLDetailsElement>(".about-letter");
    if (about && !opened.read()) about.open = true;
  });
  // Does not bubble.
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if ((target as Element).matches(".about-letter[open]")) opened.write(true);
    },
    true,
  );
}
