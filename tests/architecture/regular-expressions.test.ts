import { describe, expect, test } from "vitest";
import { isSlow, literalsOf } from "./backtracking.ts";
import { readSources } from "./imports.ts";

/**
 * Literals that take quadratic time for some texts, each with the reason why no long text of another person reaches it. Most
 * become linear with `^`, or with a lookbehind for what the first repetition reads: `(?<!\s)\s*\n`.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "app/overlay/index.ts /<main>.*<\\/main>/s":
    "a page of ours has one main element, and no text of a person writes `<`",
  "app/routes/help.tsx /<[^>]*>/g": "our own document",
  "app/routes/my/settings/device-name.ts /\\bAndroid\\b.*\\bMobile\\b/":
    "identity stores 400 characters of a User-Agent",
  "app/routes/my/settings/device-name.ts /\\bVersion\\/[\\d.]+.*\\bSafari\\//":
    "identity stores 400 characters of a User-Agent",
  "app/site/markdown.server.ts /\\{\\{([#^])(\\w+)\\}\\}([\\s\\S]*?)\\{\\{\\/\\2\\}\\}/g": "our own document",
  "app/site/markdown.server.ts /^(.*?)(?:\\s*\\{#([a-z][a-z0-9-]*)\\})?$/": "our own document",
  "app/site/markdown.server.ts /^---\\n([\\s\\S]*?\\n)---\\n([\\s\\S]*)$/": "our own document",
  "app/site/news.server.ts /<[^>]*>/g": "our own news",
  "app/site/news.server.ts /<p>(.*?)<\\/p>/s": "our own news",
  'app/styles/member-document.ts /<link [^>]*rel="stylesheet"[^>]*>/':
    "a page of ours, where no text of a person writes `<`",
  'app/styles/member-document.ts /<link rel="modulepreload"[^>]*>/g':
    "a page of ours, where no text of a person writes `<`",
  "workers/contract/group-digits.ts /\\B(?=(?:\\d{3})+$)/g": "the digits of one number",
};

/** Patterns made with `new RegExp` are not read. */
const literals = [...readSources(["app", "workers"])].flatMap(([path, code]) =>
  literalsOf(path, code).map(({ source, flags }) => ({ name: `${path} /${source}/${flags}`, source, flags })),
);

describe("regular expressions", () => {
  // One such expression on the way of a long text stops the whole server for seconds.
  test("take linear time for every long text", () => {
    expect(literals.length).toBeGreaterThan(300);
    const slow = literals.filter(({ source, flags }) => isSlow(source, flags)).map(({ name }) => name);
    expect([...new Set(slow)].sort()).toEqual(Object.keys(EXCEPTIONS).sort());
  });

  test.each([
    ["a search may start inside a repetition", /\s*\n\s*/g],
    ["so in the repetition of another character's run", /([\d,０-９]+)\s*円/],
    ["so before the end", /\/+$/],
    ["so before a lookahead", /\d+(?=\.m4s$)/],
    ["so behind a character that the repetition reads", /<[^>]*>/g],
    ["so behind a word that the repetition reads", /_secret_.*$/],
    ["so in a repeated group", /(?:ab)+c/],
    ["so in each line", /^\s*a/m],
    ["so behind a lookbehind that allows it", /(?<!a)\s*\n/],
    ["so in a lookahead", /\B(?=(?:\d{3})+$)/g],
    ["two repetitions share characters", /^\d{4}\s*[-/.年]?\s*\d{1,2}$/],
    ["two repetitions share a word", /^(?:ab)*a?b*(?:ab)*$/],
    ["a repetition repeats itself", /^(?:a+)+$/],
    ["two ways through a repetition are the same", /^(?:a|aa)*$/],
    ["a text may be what a backreference repeats", /^(.*)b\1$/],
  ])("are found slow when %s", (_, { source, flags }) => {
    expect(isSlow(source, flags)).toBe(true);
  });

  test.each([
    ["a repetition starts behind a lookbehind", /(?<!\s)\s*\n\s*/g],
    ["a repetition starts behind a lookbehind and ends before a lookahead", /(?<!\d)\d+(?=\.m4s$)/],
    ["a repetition starts at the start", /^\s*\n/],
    ["a repetition starts at the start of a line, which it does not pass", /^[ \t]*\n/gm],
    ["a repetition starts where the last match ended", /\s*\n/y],
    ["nothing follows a repetition", /\s+/g],
    ["a repetition does not read what begins it", /\[([^[\]]*)\]/g],
    ["a character divides two repetitions", /^(\d{4})\s*(?:[-/.年]\s*)?(\d{1,2})\s*月?$/],
    ["a character divides the rounds of a repetition", /^[^@.]+@[^@.]+(?:\.[^@.]+)+$/],
    ["a repetition is short", /[a-z]{1,63}@/],
  ])("are found fast when %s", (_, { source, flags }) => {
    expect(isSlow(source, flags)).toBe(false);
  });
});
