/** The duration of the scroll to the search results. Source: spec section 9: search scroll. */
const SCROLL_MS = 800;

/** Ease-in-out: maps a progress from 0 to 1 to another from 0 to 1, slow at both ends. */
const easeInOut = (part: number) => (part < 0.5 ? 2 * part * part : 1 - 2 * (1 - part) * (1 - part));

/**
 * Scrolls smoothly to the search results; jumps if the person prefers reduced motion. Stops when the person scrolls.
 * Source: spec section 2, Creator search box.
 */
export function scrollToResults(duration_ms = SCROLL_MS): void {
  const results = document.getElementById("results");
  if (!results) return;
  const is_reduced = document.documentElement.dataset.motion === "reduce";
  if (is_reduced || matchMedia("(prefers-reduced-motion: reduce)").matches) {
    results.scrollIntoView();
    return;
  }
  const margin = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
  const from = scrollY;
  const let_go = new AbortController();
  let began: number | undefined;
  for (const touch of ["wheel", "touchstart", "keydown", "mousedown"]) {
    addEventListener(touch, () => let_go.abort(), { once: true, passive: true });
  }
  const scrollStep = (now: number) => {
    if (let_go.signal.aborted) return;
    began ??= now;
    const part = Math.min(1, (now - began) / duration_ms);
    // Measure the target again in each frame, because content above it may still be loading.
    const to = results.getBoundingClientRect().top + scrollY - margin;
    scrollTo({ top: from + (to - from) * easeInOut(part), behavior: "instant" });
    if (part < 1) requestAnimationFrame(scrollStep);
  };
  requestAnimationFrame(scrollStep);
}
