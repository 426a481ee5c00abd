import { expect, test } from "./support/test.ts";

test("a creator chooses a bank and a branch, corrects the holder, and registers the account", async ({ someone }) => {
  const person = await someone();
  const { page } = person;
  await person.openAs("yamato", "/my/settings/bank");
  await page.getByRole("link", { name: "口座を登録する" }).click();
  await page.getByLabel(/^銀行の名前/).fill("みつびしゆーえふじぇい");
  await page.getByRole("button", { name: "探す" }).click();
  await page.getByRole("link", { name: "三菱UFJ銀行 0005" }).click();
  await page.getByLabel(/^支店の名前/).fill("しんじゅく");
  await page.getByRole("button", { name: "探す" }).click();
  await page.getByRole("link", { name: /^新宿 / }).click();
  await page.getByLabel("当座").check();
  await page.getByLabel("口座番号", { exact: true }).fill("０１２３");
  await page.getByLabel("口座名義（カナ）").fill("響");
  await page.getByRole("button", { name: "この口座を登録する" }).click();
  await expect(page.getByRole("alert")).toHaveText(
    "口座名義に「響」は使えません。通帳にあるカタカナで入力してください。",
  );
  await expect(page.getByLabel("口座番号", { exact: true })).toHaveValue("０１２３");
  await expect(page.getByLabel("当座")).toBeChecked();
  await page.getByLabel("口座名義（カナ）").fill("きょう ひびき");
  await page.getByRole("button", { name: "この口座を登録する" }).click();
  await expect(page).toHaveURL("/my/settings/bank");
  const account = page.getByRole("region", { name: "登録されている口座" });
  for (const shown of ["三菱UFJ銀行（0005）", "当座", "****123", "キヨウ ヒビキ"]) {
    await expect(account).toContainText(shown);
  }
});
