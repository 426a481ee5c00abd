import { describe, expect, test } from "vitest";
import { countGraphemes } from "../../workers/contract/graphemes.ts";
import { letterMessage } from "../../workers/contract/ofuses.ts";
import { text } from "../../workers/contract/text.ts";

const name = text({ label: "名前", max: 50 });
const reasonOf = (schema: typeof name, value: unknown) => schema.safeParse(value).error?.issues[0]?.message;

describe("a text a person wrote", () => {
  test("is trimmed, composed, and its line ends are one kind", () => {
    expect(letterMessage.parse("  か\u3099きれい\r\n二行目\r  ")).toBe("がきれい\n二行目");
  });

  test("is counted as a reader counts", () => {
    expect(countGraphemes("👨‍👩‍👧‍👦か゚🇯🇵")).toBe(3);
    expect(letterMessage.safeParse("👨‍👩‍👧‍👦".repeat(200)).success).toBe(true);
    expect(reasonOf(letterMessage, "👨‍👩‍👧‍👦".repeat(201))).toBe(
      "メッセージは200文字以内で入力してください（現在201文字）。",
    );
  });

  test("is bounded in bytes too: marks make one character of anything", () => {
    const marks = `a${"\u0301".repeat(50_000)}`;
    expect(countGraphemes(marks.normalize("NFC"))).toBe(1);
    expect(reasonOf(letterMessage, marks)).toMatch(/データが大きすぎます/);
  });

  test.each([
    ["NUL", "a\0b"],
    ["a lone surrogate", "a\ud800b"],
    ["an escape", "a\u001bb"],
    ["a C1 control", "a\u0085b"],
    ["a line end in a name", "a\nb"],
  ])("holds no %s", (_what, value) => {
    expect(reasonOf(name, value)).toBe("名前に使えない文字が含まれています。");
  });

  test("is asked for when it is not there", () => {
    for (const value of ["", "   ", "\n", undefined, 3]) expect(reasonOf(name, value)).toBe("名前を入力してください。");
  });
});
