import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countHolderCharacters, findUnusableInHolder, toHolderKana } from "../../workers/contract/account-holder.ts";
import { bankAccountInput } from "../../workers/contract/banks.ts";
import { codePoints } from "../support/code-points.ts";

const PROPERTY = { seed: 20_261_122, numRuns: 1000 };

describe("the holder's name", () => {
  test.each([
    ["hiragana", "やまだ はなこ", "ヤマダ ハナコ"],
    ["half-width katakana", "ﾔﾏﾀﾞ ﾊﾟｵﾛ", "ヤマダ パオロ"],
    ["small kana", "キャッシュ ショウタ", "キヤツシユ シヨウタ"],
    ["the kana that banks lack", "ヲグラ ヰヱヵヶ", "オグラ イエカケ"],
    ["an ideographic space, and several spaces", "　ヤマダ　  ハナコ ", "ヤマダ ハナコ"],
    ["each dash after a kana", "サト- サトー サト－ サトｰ サト— サト−", "サトー サトー サトー サトー サトー サトー"],
    ["a hyphen between letters", "ａｂ‐1", "AB-1"],
    ["濁点 that was typed on its own", "カ゛ハ゜ウ゛", "ガパヴ"],
    ["a name copied with invisible characters", "\u202aナツ\u200bメ ハ\u200b゛ナコ\u202c", "ナツメ バナコ"],
    ["full-width signs", "カ）ナツメ．／（ド）「ア」￥", "カ)ナツメ./(ド)「ア」¥"],
  ])("takes %s", (_, typed, kana) => {
    expect(toHolderKana(typed)).toBe(kana);
    expect(findUnusableInHolder(kana)).toEqual([]);
  });

  test("names the characters that no bank takes", () => {
    expect(findUnusableInHolder(toHolderKana("山田 ハナコ😀・＆ 山"))).toEqual(["山", "田", "😀", "・", "&"]);
  });

  test("counts 濁点 and 半濁点 as banks do", () => {
    expect(["ヤマダ ハナコ", "パピプペポ", "サトー", "ヴ", ""].map(countHolderCharacters)).toEqual([8, 10, 3, 2, 0]);
  });

  test("does not change when it is converted again, and every spelling of one name becomes the same", () => {
    const kana = fc.array(fc.constantFrom(..."ァアガャヵヶヲヴパー -゛゜ｶﾞﾟぁがゕゔ。・ヷ（Aａ\u3099\u309a"), {
      maxLength: 12,
    });
    const text = fc.oneof(
      kana.map((each) => each.join("")),
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: codePoints }),
    );
    fc.assert(
      fc.property(text, (typed) => {
        const once = toHolderKana(typed);
        expect(toHolderKana(once)).toBe(once);
      }),
      PROPERTY,
    );
    const syllables = fc.array(fc.constantFrom(..."アイウカガキギシジハバパタダンー"), { minLength: 1, maxLength: 15 });
    fc.assert(
      fc.property(syllables, (each) => {
        const full = toHolderKana(`ア${each.join("")}`);
        const hiragana = full.replace(/[ァ-ヶ]/g, (one) => String.fromCharCode(one.charCodeAt(0) - 0x60));
        expect(toHolderKana(hiragana)).toBe(full);
        expect(toHolderKana(full.normalize("NFD"))).toBe(full);
        expect(countHolderCharacters(full)).toBe(full.normalize("NFD").length);
      }),
      PROPERTY,
    );
  });
});

const account = {
  bank_code: "0001",
  branch_code: "004",
  account_type: "futsu",
  account_number: "1234567",
  account_holder_kana: "ナツメ ハナコ",
};
const faultsOf = (change: Record<string, unknown>) =>
  (bankAccountInput.safeParse({ ...account, ...change }).error?.issues ?? []).map(({ path, message }) => [
    path.join("."),
    message,
  ]);

describe("the account", () => {
  test.each([
    ["1", "0000001"],
    ["０１２－３４", "0001234"],
    [" 123 4567 ", "1234567"],
    ["\u202a1234567\u202c", "1234567"],
  ])("number '%s' is %s", (account_number, padded) => {
    expect(bankAccountInput.parse({ ...account, account_number }).account_number).toBe(padded);
  });

  test("number is any number of one to seven digits but zero, padded to seven", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_999_999 }), fc.integer({ min: 0, max: 7 }), (number, zeros) => {
        const typed = String(number).padStart(zeros, "0");
        const { account_number } = bankAccountInput.parse({ ...account, account_number: typed });
        expect([account_number.length, Number(account_number)]).toEqual([7, number]);
      }),
      PROPERTY,
    );
  });

  test.each(["12345678", "12a", "-1.5", "1e3", "一二三", "0000000", "", "  "])(
    "number '%s' is refused with one sentence",
    (account_number) => {
      expect(faultsOf({ account_number })).toEqual([["account_number", expect.stringContaining("口座番号")]]);
    },
  );

  test.each([
    ["nothing", "", "口座名義を入力してください。"],
    ["signs alone", " ー ", "口座名義を入力してください。"],
    ["kanji", "山田花子", "口座名義に「山田花子」は使えません。通帳にあるカタカナで入力してください。"],
    ["32 characters", "ガ".repeat(16), expect.stringContaining("現在32文字")],
    ["a lone surrogate", "\ud800", expect.stringContaining("使えません")],
    [
      "a control character",
      "ア\u0000",
      "口座名義に使えない文字が含まれています。いちど消して、手で入力し直してください。",
    ],
    [
      "kanji and a control character",
      "山\u0000",
      "口座名義に「山」は使えません。通帳にあるカタカナで入力してください。",
    ],
  ])("holder of %s is refused", (_, account_holder_kana, message) => {
    expect(faultsOf({ account_holder_kana })).toEqual([["account_holder_kana", message]]);
  });

  test("takes 30 characters, and no other types or codes", () => {
    expect(faultsOf({ account_holder_kana: "ガ".repeat(15) })).toEqual([]);
    expect(faultsOf({ account_type: "chochiku" })).toEqual([
      ["account_type", "貯蓄預金の口座には振り込めません。普通か当座の口座を選んでください。"],
    ]);
    expect(faultsOf({ account_type: "1" })).toEqual([["account_type", "口座の種別を選んでください。"]]);
    expect(faultsOf({ bank_code: "１０００", branch_code: "4" }).map(([field]) => field)).toEqual([
      "bank_code",
      "branch_code",
    ]);
  });
});
