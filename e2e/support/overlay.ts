import type { Page } from "playwright/test";

/**
 * Makes an overlay keep the words of its cards from when it opens: a card stays for seconds, and a busy machine may look too
 * late. Call it before the page opens.
 */
export const keepCards = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const shown: string[][] = [];
    Object.assign(window, { shown });
    new MutationObserver(() => {
      const cards = [...document.querySelectorAll("article")].filter((card) => card.checkVisibility());
      const words = cards.map(({ textContent }) => textContent);
      if (words.length > 0 && String(words) !== String(shown.at(-1))) shown.push(words);
    }).observe(document, { subtree: true, childList: true });
  });

/** Returns the words of the cards that were shown, one list for the cards that were there together. */
export const keptCards = (page: Page): Promise<string[][]> =>
  page.evaluate(() => (window as unknown as { shown: string[][] }).shown);
