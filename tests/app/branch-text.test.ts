import { expect, test } from "vitest";
import { branchText } from "../../app/routes/my/earnings/branch-text.ts";

test.each([
  ["渋谷", "渋谷支店"],
  ["本店", "本店"],
  ["穂別代理店", "穂別代理店"],
  ["本店営業部", "本店営業部"],
  ["本店営業第二部", "本店営業第二部"],
  ["東京都庁出張所", "東京都庁出張所"],
  ["飯山事務所", "飯山事務所"],
  // Place names that end like a department.
  ["宇部", "宇部支店"],
  ["御器所", "御器所支店"],
  // ゆうちょ銀行
  ["〇一八", "〇一八店"],
])("a bank writes its branch %s as %s", (name, text) => {
  expect(branchText(name)).toBe(text);
});
