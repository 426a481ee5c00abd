import type { hasAboutFanLetterOpened } from "./stored-keys.ts";

/**
 * Opens the explanation below the letter's field when its writer first focuses that field in this browser. It waits for
 * the focus, so that nothing shifts without the writer's action. Depends on the markup of
 * routes/creator/letter-form.tsx.
 * @param opened the stored key. An argument, because the scripts of visitors' pages must not share a chunk.
 */
export function openAboutLetterOnce(opened: typeof hasAboutFanLetterOpened): void {
  const openBelow = (focused: Element | null) => {
    const form = focused?.closest("textarea")?.form;
    const about = form?.querySelector<HTMLDetailsElement>(".about-letter");
    if (about && !opened.read()) about.open = true;
  };
  document.addEventListener("focusin", ({ target }) => openBelow(target as Element));
  // Listen in the capture phase, because `focus` does not bubble.
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if ((target as Element).matches(".about-letter[open]")) opened.write(true);
    },
    true,
  );
  // The writer may have begun before this script arrived.
  openBelow(document.activeElement);
}
