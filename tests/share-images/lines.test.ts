import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Character, charactersOf, isLegible } from "../../workers/share-images/characters.ts";
import { type Fit, setText } from "../../workers/share-images/lines.ts";
import { faces } from "./support.ts";

const textOf = (line: readonly Character[]) => line.map(({ text }) => text).join("");
const drawText = (text: string) => textOf(charactersOf(text, faces));
const widthOf = (line: readonly Character[]) => line.reduce((sum, { width }) => sum + width, 0);
/** Breaks a text into lines of `ems` width, in one size. */
const breakText = (text: string, ems: number, max_lines = 100) =>
  setText(charactersOf(text, faces), { width: ems, fits: [{ size: 1, max_lines }], faces }).lines.map(textOf);

describe("a character", () => {
  test.each([
    ["itself", "髙﨑𠮷塚 Café №3", "髙﨑𠮷塚 Café №3"],
    ["one letter with its mark", "か\u3099", "が"],
    ["kana with a mark of their own", "あ\u3099", "あ\u3099"],
    ["an emoji of several parts", "👩‍👩‍👧🇯🇵👍🏽", "👩‍👩‍👧🇯🇵👍🏽"],
    ["the plain form of a styled letter", "𝓝𝓪𝓽𝓼𝓾", "Natsu"],
    ["a letter without its stacked marks", "Z\u0351\u036b\u0343a\u0357\u0348", "Za"],
    ["a geta mark when no font has it", "한ع", "〓〓"],
    ["nothing when it cannot be seen", "a\u200bb\u202ec\u2066d\u0000", "abcd"],
    ["one line", " 一行目\n\n二行目\t三 ", "一行目 二行目 三"],
  ])("is drawn as %s", (_, text, seen) => expect(drawText(text)).toBe(seen));

  test("without a font makes the name undrawable", () => {
    expect(isLegible(charactersOf("한국어 (عربي)", faces))).toBe(false);
    expect(isLegible(charactersOf("🐈", faces))).toBe(true);
    expect(isLegible(charactersOf("한국어のなつめ", faces))).toBe(true);
  });

  test("has the width that its font states", () => {
    const [wide, narrow, emoji] = charactersOf("海i🎨", faces).map(({ width }) => width);
    expect(wide).toBe(1);
    expect(narrow).toBeLessThan(0.35);
    expect(emoji).toBeGreaterThan(1);
  });
});

describe("a text is broken into lines", () => {
  test("between phrases, and never before a word's inflection", () => {
    expect(breakText("夜明けの海を描きました", 6)).toEqual(["夜明けの海を", "描きました"]);
    expect(breakText("Summer Festivalの絵を描く", 8)).toEqual(["Summer", "Festivalの", "絵を描く"]);
  });

  test("of about equal length", () => {
    expect(breakText("フォローしてくださっている方へ、ラフのまとめ", 20)).toEqual([
      "フォローしてくださっている",
      "方へ、ラフのまとめ",
    ]);
  });

  test("between words in other scripts, unless a word is longer than a line", () => {
    expect(breakText("ab cde.fgh", 4.2)).toEqual(["ab", "cde.fgh"]);
    const lines = breakText("a".repeat(30), 5);
    expect(lines.join("")).toBe("a".repeat(30));
  });

  test("in the largest size that fits, and is truncated only in the smallest", () => {
    const fits: [Fit, ...Fit[]] = [
      { size: 2, max_lines: 1 },
      { size: 1, max_lines: 2 },
    ];
    const setInSizes = (text: string) => {
      const { size, lines } = setText(charactersOf(text, faces), { width: 8, fits, faces });
      return { size, lines: lines.map(textOf) };
    };
    expect(setInSizes("海と猫")).toEqual({ size: 2, lines: ["海と猫"] });
    expect(setInSizes("海と猫と船と山")).toEqual({ size: 1, lines: ["海と猫と船と山"] });
    const cut = setInSizes("海と猫と、船と山と、空と雲と、花と鳥と");
    expect(cut.size).toBe(1);
    expect(cut.lines.at(-1)).toMatch(/[^、]…$/);
    expect(cut.lines).toHaveLength(2);
  });

  const words = fc.constantFrom(
    ..."海猫「」（）、。！？ーっゃァ々…👩‍👩‍👧🎨 aZ9.,-()",
    "描きました",
    "Festival",
    "フォロワー",
  );
  const texts = fc.array(words, { maxLength: 60 }).map((parts) => parts.join(""));

  test("without losing a character, and no line is too long or begins with a forbidden character", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 6, max: 20 }), (text, ems) => {
        const characters = charactersOf(text, faces);
        const { lines } = setText(characters, { width: ems, fits: [{ size: 1, max_lines: 100 }], faces });
        expect(lines.map(textOf).join("").replaceAll(" ", "")).toBe(textOf(characters).replaceAll(" ", ""));
        for (const [index, line] of lines.entries()) {
          expect(widthOf(line)).toBeLessThanOrEqual(ems);
          const before = lines[index - 1]?.at(-1)?.text ?? "";
          // A run of only such characters must be broken somewhere.
          const is_run = /[、。！？ーっゃァ々…」）.,)]/.test(before);
          if (index > 0 && !is_run) expect(line[0]?.text).not.toMatch(/^[、。！？ーっゃァ々…」）.,)]/);
        }
      }),
      { seed: 20261120, numRuns: 300 },
    );
  });

  test("and never has more lines than there is room for", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 6, max: 20 }), fc.integer({ min: 1, max: 3 }), (text, ems, max_lines) => {
        const { lines } = setText(charactersOf(text, faces), { width: ems, fits: [{ size: 1, max_lines }], faces });
        expect(lines.length).toBeLessThanOrEqual(max_lines);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(ems);
      }),
      { seed: 20261120, numRuns: 300 },
    );
  });
});
