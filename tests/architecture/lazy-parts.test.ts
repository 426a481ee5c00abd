import { expect, test } from "vitest";
import { readSources } from "./imports.ts";

/** The lazy components whose script must load, by file. */
const NEEDED: Readonly<Record<string, string>> = {
  "app/ui/preloaded.ts": "makes the body of a post; the page loads it twice before it gives up",
  "app/shell/lazy-part.tsx": "keeps the server's HTML for good",
  "app/routes/dev/styleguide.tsx": "is not deployed",
};

/** Returns the argument of every call of `lazy` in a source. */
function lazyCallsOf(source: string): string[] {
  return [...source.matchAll(/\blazy(?:<\w+>)?\(/g)].map(({ 0: { length }, index }) => {
    const start = index + length;
    let end = start;
    for (let depth = 1; depth > 0; end++) depth += { "(": 1, ")": -1 }[source[end] as string] ?? 0;
    return source.slice(start, end - 1);
  });
}

const isCaught = (call: string) => call.includes(".catch(");

/** React replaces the whole page by an error, with the words in its forms, when a lazy component cannot be loaded. */
test("a lazy component whose script cannot be loaded does not replace its page", () => {
  const calls = [...readSources(["app"])].flatMap(([file, source]) =>
    lazyCallsOf(source).map((call) => ({ file, call })),
  );
  expect(calls.length).toBeGreaterThan(8);
  const unexpected = calls.filter(({ file, call }) => !isCaught(call) && !(file in NEEDED));
  expect(unexpected).toEqual([]);
});

test("a lazy component is found by this test also over several lines", () => {
  const source =
    'const A = lazy(() =>\n  import("./a.tsx").then((a) => ({ default: a.A })),\n);\nlazy<B>(() => import("./b"));';
  expect(lazyCallsOf(source).map((call) => call.trim())).toEqual([
    '() =>\n  import("./a.tsx").then((a) => ({ default: a.A })),',
    '() => import("./b")',
  ]);
  expect(lazyCallsOf(source).map(isCaught)).toEqual([false, false]);
});
