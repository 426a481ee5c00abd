import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { daysText } from "../../app/routes/my/stats/figures.ts";
import { updateProfile } from "../../workers/contract/users.ts";

/** The words of pages, mails and errors: one word for one thing. */

const root = join(import.meta.dirname, "../..");
const ROOMS = ["app", "workers/contract", "workers/mails/words"];

/** Each word that pages do not use, and the word that they use in its place. */
const UNUSED: readonly (readonly [unused: RegExp, used: string])[] = [
  // OBS itself calls its source 「ブラウザ」.
  [/(?<!「)ブラウザ(?!ー)/, "ブラウザー"],
  [/収益化の登録/, "収益化登録"],
  [/収益のページ/, "売上のページ"],
  [/さが(?:す|し)/, "探す"],
  [/誰/, "だれ"],
  [/(?<![部自日のるり0-9])分か[るりら]/, "わかる"],
  [/別の会員/, "別のアカウント"],
  [/参加(?:中|者|日|時|した)/, "加入、メンバー"],
  [/放送した人/, "配信者"],
  [/お客様/, "お客さま"],
  [/心あたり/, "心当たり"],
  [/[しえびきみれ]なお[しす]/, "し直す、選び直す"],
  [/[書置]きかえ/, "書き換え、置き換え"],
  [/収益化の(?:ページ|お手続き)/, "収益化登録のページ"],
  [/下書きを(?:捨て|破棄)|破棄した下書き/, "下書きを削除"],
  [/(?<!「)いいねし/, "「いいね」し"],
  // 「つくる人」 are the creators, and the texts that creators may copy keep their own spelling.
  [/(?:(?:プラン|投稿|ラジオ|レター|アカウント|アドレス|URL)を|新しく|何も|個まで)つく|つくり?直/, "作る"],
  [/手紙（ファンレター）|ファンレターの応援/, "ファンレター"],
];

test("pages, documents, mails and errors use one word for one thing", () => {
  const files = ROOMS.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(?:tsx?|md)$/.test(path))
      .map((path) => join(room, path)),
  );
  expect(files.length).toBeGreaterThan(500);
  const found = [...files, "deploy/site.example.json"].flatMap((path) =>
    readFileSync(join(root, path), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        UNUSED.filter(([unused]) => unused.test(line)).map(([, used]) => `${path}:${index + 1} ${used}`),
      ),
  );
  expect(found).toEqual([]);
});

test("the days of statistics have the form of all dates where they have a year", () => {
  const days = { start_date: "2026-11-02", end_date: "2026-11-29" };
  expect(daysText(days, true)).toBe("2026/11/02〜2026/11/29");
  expect(daysText({ ...days, end_date: days.start_date }, true)).toBe("2026/11/02");
  expect(daysText(days)).toBe("11/2〜11/29");
});

test.each([1899, 3000, "きのう"])("the year of birth %j is refused with the years that are taken", (birth_year) => {
  const read = updateProfile.body.safeParse({ birth_year });
  expect(read.error?.issues.map(({ message }) => message)).toEqual([
    "生まれた年は、1900年から今年までの西暦を、数字で入力してください。",
  ]);
});
