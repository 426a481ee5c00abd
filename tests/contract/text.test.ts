import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { people } from "../../scripts/demo/people.ts";
import { createEvent } from "../../workers/contract/events.ts";
import { countGraphemes } from "../../workers/contract/graphemes.ts";
import { createMembership } from "../../workers/contract/memberships.ts";
import { isOperatorsLinkId, nameRefusal } from "../../workers/contract/names.ts";
import { createNewsletter } from "../../workers/contract/newsletters.ts";
import { letterMessage } from "../../workers/contract/ofuses.ts";
import { createNews } from "../../workers/contract/operator/news.ts";
import { createRadio } from "../../workers/contract/radios.ts";
import { emailAddress, newPassword, text } from "../../workers/contract/text.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import { checkNewPassword, normaliseEmail } from "../../workers/identity/provider/rules.ts";

const name = text({ label: "名前", max: 50 });
const RETYPE = "いちど消して、手で入力し直してください。";
const reasonOf = (schema: typeof name, value: unknown) => schema.safeParse(value).error?.issues[0]?.message;

test("the titles of posts, newsletters, radios and news have one word", () => {
  const title = "あ".repeat(1000);
  const sentences = [createEvent, createNewsletter, createRadio, createNews].map(
    ({ body }) => body.safeParse({ title }).error?.issues.find(({ path }) => path[0] === "title")?.message,
  );
  expect(new Set(sentences).size).toBe(1);
  expect(sentences[0]).toMatch(/^タイトルは/);
});

describe("a person's text", () => {
  test("is trimmed, normalised, and has one kind of line end", () => {
    expect(letterMessage.parse("  か\u3099きれい\r\n二行目\r  ")).toBe("がきれい\n二行目");
  });

  test("has line feeds for the line ends of slides, mainframes and Unicode", () => {
    expect(letterMessage.parse("一\u000b二\u000c三\u0085四\u2028五\u2029六")).toBe("一\n二\n三\n四\n五\n六");
  });

  test("is counted in graphemes", () => {
    expect(countGraphemes("👨‍👩‍👧‍👦か゚🇯🇵")).toBe(3);
    expect(letterMessage.safeParse("👨‍👩‍👧‍👦".repeat(200)).success).toBe(true);
    expect(reasonOf(letterMessage, "👨‍👩‍👧‍👦".repeat(201))).toBe(
      "メッセージは200文字以内で入力してください（現在201文字）。",
    );
  });

  test("is counted the same by the shortcut for plain characters", () => {
    const segmenter = new Intl.Segmenter("ja", { granularity: "grapheme" });
    const unit = fc.constantFrom(..."aZ~ \n\r\t、。かがガー漢！～ｶﾞ\u3099\u309a\u0301\u200d👍🏽🇯🇵\ufe0f\u{e0100}");
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
        const text = units.join("");
        expect(countGraphemes(text)).toBe([...segmenter.segment(text)].length);
      }),
      { seed: 20_261_122, numRuns: 3000 },
    );
  });

  test("of many emoji is refused with what to do", () => {
    const { title } = createMembership.body.shape;
    expect(reasonOf(title, "👨‍👩‍👧‍👦".repeat(40))).toBeUndefined();
    expect(reasonOf(title, "👨‍👩‍👧‍👦".repeat(41))).toBe(
      "プランの名前のデータが大きすぎます。絵文字や飾り文字を減らしてください。",
    );
  });

  test("is limited in bytes too, because one grapheme may have many marks", () => {
    const marks = `a${"\u0301".repeat(50_000)}`;
    expect(countGraphemes(marks.normalize("NFC"))).toBe(1);
    expect(reasonOf(letterMessage, marks)).toMatch(/データが大きすぎます/);
    // Plain words are not decorated, only too many.
    expect(reasonOf(letterMessage, "あ".repeat(3_000))).toBe("メッセージは200文字以内で入力してください。");
  });

  test.each([
    ["NUL", "a\0b"],
    ["a lone surrogate", "a\ud800b"],
    ["an escape", "a\u001bb"],
    ["a C1 control", "a\u0085b"],
    ["a line end in a name", "a\nb"],
  ])("cannot contain %s", (_what, value) => {
    expect(reasonOf(name, value)).toBe(`名前に使えない文字が含まれています。${RETYPE}`);
  });

  test("is required", () => {
    for (const value of ["", "   ", "\n", undefined, 3]) expect(reasonOf(name, value)).toBe("名前を入力してください。");
  });
});

describe("an invisible text", () => {
  test.each([
    ["zero-width spaces", "\u200b\u200b"],
    ["Hangul fillers", "\u3164\u115f\uffa0"],
    ["blank Braille", "\u2800"],
    ["marks alone", "\u0301\u20dd"],
    ["a joiner between blanks", "\u2003\u200d\u2003"],
    ["turns of direction", "\u202e\u2066\u2069"],
    ["a soft hyphen", "\u00ad"],
    ["tags", "\u{e0041}\u{e0042}"],
    ["blank hieroglyphs", "\u{13441}\u{13442}"],
    ["the place of an object", "\ufffc"],
    ["noncharacters", "\ufffe\uffff"],
  ])("is refused: %s", (_, value) => {
    expect(reasonOf(name, value)).toBe("名前を入力してください。");
    expect(reasonOf(letterMessage, value)).toBe("メッセージを入力してください。");
    expect(updateProfile.body.parse({ bio: value }).bio).toBe("");
  });

  test("is kept between two others of a document", () => {
    const document = [
      { type: "paragraph", content: ["朝", " ", "夜"].map((words) => ({ type: "text", text: words })) },
    ];
    expect(createNewsletter.body.shape.document.parse(document)).toEqual(document);
  });

  test.each(["👍", "！", "あ", "7", "❤️", "…"])("is accepted if it shows %s", (value) => {
    expect(letterMessage.safeParse(value).success).toBe(true);
  });
});

describe("a title", () => {
  const title = text({ label: "タイトル", max: 100, is_label: true });

  test.each([
    ["a turn of direction", "明日\u202e日明"],
    ["an isolate", "絵\u2066x\u2069"],
    ["a mark of direction", "絵\u200f!"],
    ["the Arabic letter mark", "絵\u061c"],
    ["a zero-width space", "な\u200bつめ"],
    ["a zero-width joiner between letters", "na\u200dtsume"],
    ["a word joiner", "na\u2060tsume"],
    ["a byte order mark inside", "な\ufeffつめ"],
    ["a soft hyphen", "na\u00adtsume"],
    ["a Hangul filler", "なつめ\u3164x"],
    ["a line separator", "な\u2028つめ"],
    ["a variation selector that varies nothing", "な \ufe0fつめ"],
    ["two variation selectors", "な\ufe0f\ufe0fつめ"],
    ["tags without a flag", "な\u{e0041}つめ"],
    ["blank Braille", "な\u2800つめ"],
    ["a blank hieroglyph", "な\u{13441}つめ"],
    ["a note without a head", "な\u{1d159}つめ"],
  ])("cannot contain %s", (_, value) => {
    expect(reasonOf(title, value)).toBe(`タイトルに、見えない文字や文字の向きを変える記号は使えません。${RETYPE}`);
    expect(nameRefusal(value)).toBe(`表示名に、見えない文字や文字の向きを変える記号は使えません。${RETYPE}`);
  });

  test.each([
    ["the place of an object", "\ufffc"],
    ["a noncharacter", "\ufffe"],
    ["a noncharacter of another plane", "\u{1ffff}"],
    ["a pictogram of one telephone", "\ue63e"],
    ["a private character of another plane", "\u{f0000}"],
  ])("loses %s, which a name refuses", (_, value) => {
    expect(title.parse(`な${value}つめ ${value}`)).toBe("なつめ");
    expect(reasonOf(title, value)).toBe("タイトルを入力してください。");
    expect(nameRefusal(`な${value}つめ`)).toBe(`表示名に、見えない文字や文字の向きを変える記号は使えません。${RETYPE}`);
  });

  test("alone loses the pictogram of a telephone: it stays in letters that were written on one", () => {
    expect(letterMessage.parse("晴れ\ue63e")).toBe("晴れ\ue63e");
  });

  test.each([
    ["a family", "👨‍👩‍👧‍👦の日"],
    ["a heart on fire", "推し❤️‍🔥"],
    ["a person with a skin and a trade", "🧑🏽‍🎨です"],
    ["flags", "🏳️‍🌈と🏴󠁧󠁢󠁥󠁮󠁧󠁿と🇯🇵"],
    ["a keycap", "1️⃣日目"],
    ["snow", "ゆき❄️"],
    ["a variant of a kanji", "渡邉\u{e0100}さん"],
    ["Persian", "می‌خواهم"],
    ["Hindi", "क्‍ष"],
    ["Sinhala", "ශ්‍රී"],
    ["Arabic", "مرحبا"],
    ["Hebrew", "שלום"],
    ["half-width kana with their marks", "ｶﾞｯｷｰ"],
    ["a face of signs", "(´；ω；｀)"],
    ["an accent of two characters", "Ame\u0301lie"],
  ])("may contain %s", (_, value) => {
    expect(title.safeParse(value).success).toBe(true);
    expect(nameRefusal(title.parse(value))).toBeNull();
  });
});

describe("a name", () => {
  test.each(["！！！", "❄️", "♪♪", "(^_^)", "〜"])("needs more than punctuation: %s", (value) => {
    expect(nameRefusal(value)).toBe("表示名には、文字か数字を1つ以上入れてください。");
  });

  test.each([
    ...["なつめ公式", "公 式", "公・式", "公\u3000式ファンクラブ", "⼋公式", "【公式】なつめ", "公\u0332式"],
    ...["運営", "運 営スタッフ", "運-営", "事務局", "ofuse事務局", "事 務 局"],
    ...["サポート", "ｻﾎﾟｰﾄ窓口", "さぽーと", "サ ポ ー ト", "サポ－ト", "サホ\u309aート"],
    ...["公\u{e0100}式", "運\ufe00営", "サホ\ufe00\u309aート"],
    ...["ofuse", "OFUSE", "ＯＦＵＳＥ", "o-f-u-s-e", "o f u s e", "Ofusé", "ⓞⓕⓤⓢⓔ", "𝐎𝐅𝐔𝐒𝐄", "0fuse", "оfusе", "οfuse"],
    ...["OFU$E", "〇fuse", "TheOfuse", "OFUSE運営", "o.f.u.s.e."],
  ])("cannot look like the operators': %s", (value) => {
    expect(nameRefusal(value)).toMatch(/運営だけが使える言葉/);
  });

  test.each([
    ...["退会したユーザー", "退会した ユーザ", "匿名", "匿 名", "【匿名】", "ゲスト", "げすと", "ｹﾞｽﾄ"],
    "ブロックしたクリエイター",
  ])("cannot look like nobody's: %s", (value) => {
    expect(nameRefusal(value)).toBe(
      "「退会したユーザー」「匿名」「ゲスト」「ブロックしたクリエイター」は、名前の代わりに表示する言葉のため、表示名に使えません。",
    );
  });

  test.each([
    ...["匿名希望", "ゲスト出演のはな", "退会したユーザーの友だち"],
    ...["なつめ", "非公式ファンの会", "たろう", "大和 岳", "サポーター太郎", "公園デ式", "運と営み"],
    ...[
      "of us",
      "Fuse",
      "フューズ",
      "3番目のe",
      "Sofia",
      "奥村 公一",
      "東京事務所",
      "営業中",
      "O型",
      "李",
      "김철수",
      "Đỗ",
    ],
  ])("is accepted: %s", (value) => {
    expect(nameRefusal(value)).toBeNull();
  });

  test("is not compared with the operators' names when it is far too long", () => {
    expect(nameRefusal("公式")).not.toBeNull();
    expect(nameRefusal("公式".repeat(600))).toBeNull();
  });

  test("is valid for everybody in the demo world", () => {
    for (const person of people) expect(nameRefusal(person.name), person.name).toBeNull();
    for (const { link_id } of people) expect(isOperatorsLinkId(link_id), link_id).toBe(false);
  });
});

test.each([
  ...["ofuse", "ofuse_support", "ofusers", "of_use", "0fuse", "o_f_u_s_e_", "official", "officia1", "0fficial_x"],
  ...[
    "support",
    "supp0rt_desk",
    "admin",
    "administrator",
    "adm1n",
    "ad_min",
    "staff",
    "5taff",
    "_root",
    "__proto__",
    "_x_",
  ],
])("the address %s is reserved for operators", (link_id) => expect(isOperatorsLinkId(link_id)).toBe(true));

test.each([
  "natsume",
  "offshore",
  "stage",
  "advice",
  "supper",
  "user_ofuse1",
  "my_staff",
  "o_0_o",
  "fuse",
  "root",
  "proto",
])("the address %s is free", (link_id) => expect(isOperatorsLinkId(link_id)).toBe(false));

test.each([" natsume", "natsume\u3000", "ｎａｔｓｕｍｅ", "\u202anatsume\u202c", "nat\u200bsume"])(
  "the name for addresses %j is natsume",
  (link_id) => expect(updateProfile.body.parse({ link_id }).link_id).toBe("natsume"),
);

test.each(["nat sume", "なつめ", "nat\nsume", "Natsume", "\u200bab"])(
  "the name for addresses %j is refused",
  (link_id) => expect(updateProfile.body.safeParse({ link_id }).success).toBe(false),
);

const isTaken = (check: () => unknown) => {
  try {
    check();
    return true;
  } catch {
    return false;
  }
};

describe("an e-mail address", () => {
  test.each([
    ...["a..b.@docomo.ne.jp", "taro.@docomo.ne.jp", ".taro@docomo.ne.jp", "user/dept@ezweb.ne.jp"],
    ...["plus+tag@example.jp", "o'brien@example.co.jp", ` ${"a".repeat(64)}@example.jp `],
  ])("%s is accepted by forms as by the identity provider", (typed) => {
    expect(emailAddress.parse(typed)).toBe(normaliseEmail(typed));
  });

  test.each([
    ...["", "example.jp", "a@b@example.jp", "a@example", "a@.jp", "a@example..jp", "@example.jp"],
    ...[
      "a b@example.jp",
      '"a"@example.jp',
      "<a@example.jp>",
      "a@example.jp>,<b@example.jp",
      "a@example.jp, b@example.jp",
    ],
    ...["a@example.jp\r\nBcc: b@example.jp", "a\0@example.jp", "a:b@example.jp", "a\\b@example.jp"],
    ...[`${"a".repeat(65)}@example.jp`, `a@${"b".repeat(250)}.jp`],
  ])("%j is refused by both", (typed) => {
    expect(emailAddress.safeParse(typed).success).toBe(false);
    expect(isTaken(() => normaliseEmail(typed))).toBe(false);
  });

  test.each(["ｔａｒｏ@example.jp", "taro＠example.jp", "　ｔａｒｏ＠ｅｘａｍｐｌｅ．ｊｐ　"])(
    "%s, typed with the keyboard set to Japanese, is the same address",
    (typed) => expect(emailAddress.parse(typed)).toBe("taro@example.jp"),
  );

  test.each([
    "taro@example.jp\u202c",
    "\u202ataro@example.jp\u202c ",
    "taro\u200b@\u200eexample.jp",
    "\ufefftaro＠example.jp",
  ])("%j, copied with invisible characters, is the same address", (typed) => {
    expect(emailAddress.parse(typed)).toBe("taro@example.jp");
    expect(
      isTaken(() => normaliseEmail(typed)),
      "by the identity provider, to which forms give the clean one",
    ).toBe(false);
  });

  test.each(["たろう@example.jp", "taro@example。jp", "ｔａｒｏ＠例え．ｊｐ"])(
    "%s has letters of no address, and the form says so",
    (typed) => {
      const sentences = emailAddress.safeParse(typed).error?.issues.map(({ message }) => message);
      expect(sentences).toEqual(["メールアドレスは、半角の英数字と記号で入力してください。"]);
    },
  );

  test.each(["a＠ｂ＠example.jp", "＜a@example.jp＞", "a@example.jp，b@example.jp", "a@example.jp；b@example.jp"])(
    "%s is refused as if it were typed in ASCII",
    (typed) => expect(emailAddress.safeParse(typed).success).toBe(false),
  );
});

test.each([
  ["8graphem", null],
  ["あ".repeat(150), null],
  ["👨‍👩‍👧‍👦".repeat(150), null],
  ["👨‍👩‍👧‍👦".repeat(7), "パスワードは8文字以上で入力してください。"],
  ["あ".repeat(151), "パスワードは150文字以内で入力してください。"],
  ["a".repeat(5000), "パスワードは150文字以内で入力してください。"],
  [`12345678${"\u0301".repeat(2048)}`, "パスワードのデータが大きすぎます。絵文字や飾り文字を減らしてください。"],
  ["1234\u00075678", `パスワードに使えない文字が含まれています。${RETYPE}`],
  ["1234\ud8005678", `パスワードに使えない文字が含まれています。${RETYPE}`],
])("a page and the identity provider judge a new password alike (%#)", (password, sentence) => {
  expect(newPassword.safeParse(password).error?.issues[0]?.message ?? null).toBe(sentence);
  expect(isTaken(() => checkNewPassword(password))).toBe(sentence === null);
});
