import { afterEach, expect, test, vi } from "vitest";
import { scrollToSearch } from "../../app/browser/page-shown.ts";

afterEach(() => vi.unstubAllGlobals());

test.each([
  ["/search?keyword=%E6%B0%B4%E5%BD%A9", true],
  ["/search?name=&keyword=&genre_id=1", true],
  ["/search#searched", true],
  ["/search", false],
  ["/search?genre_id=1", false],
  ["/natsume#letters", false],
  ["/redirect?to=/search?keyword=x", false],
])("a page that answers a search form scrolls to its results: %s is %s", async (path, scrolls) => {
  const getElementById = vi.fn(() => null);
  vi.stubGlobal("location", new URL(path, "https://ofuse.example"));
  vi.stubGlobal("document", { getElementById });
  scrollToSearch();
  // The script of the scrolling is loaded on demand.
  await import("../../app/browser/scroll-to-results.ts");
  await new Promise(setImmediate);
  expect(getElementById.mock.calls).toEqual(scrolls ? [["results"]] : []);
});
