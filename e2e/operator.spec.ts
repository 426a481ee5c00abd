import { expect, type Person, test } from "./support/test.ts";

/** A fan and a creator whom no other journey uses in these roles. */
const REPORTER = "fan_chika";
const CREATOR = "akari";
const OPERATOR = "fan_taro";

const said = (person: Person, text: string) => expect(person.page.getByText(text).first()).toBeVisible();

test("an operator takes a reported post down, and its owner's appeal brings it back", async ({ someone }) => {
  const [reporter, owner, operator] = [await someone(), await someone(), await someone()];
  let path = "";

  await test.step("a reader reports the post", async () => {
    await reporter.openAs(REPORTER, `/${CREATOR}`);
    const card = reporter.page.locator(".event-card:not(:has(.badge)) a[href*='/events/']").first();
    path = (await card.getAttribute("href")) ?? "";
    await reporter.open(`${path}/report`);
    await reporter.page.getByLabel("誹謗中傷").check();
    await reporter.page.getByLabel("くわしい内容（任意）").fill("名指しで悪く言っています。");
    await reporter.page.getByRole("button", { name: "通報する" }).click();
    await said(reporter, "通報を受け付けました。");
  });

  await test.step("the operator finds the report from the menu, and decides it once a decision is chosen", async () => {
    await operator.startOperatorSession(OPERATOR);
    await operator.open("/operator");
    await operator.page.getByRole("link", { name: "判断を待つ通報" }).click();
    await operator.page
      .getByRole("link", { name: `投稿 @${CREATOR}` })
      .first()
      .click();
    await said(operator, "名指しで悪く言っています。");
    await operator.isAlive();
    await operator.page.getByLabel("ひとこと（任意）").fill("規約の第4条によります");
    await operator.page.getByRole("button", { name: "判断を記録する" }).click();
    await said(operator, "判断を選んでください。");
    await operator.page.getByLabel("公開を停止する").check();
    await expect(operator.page.getByLabel("ひとこと（任意）")).toHaveValue("規約の第4条によります");
    await operator.page.getByRole("button", { name: "判断を記録する" }).click();
    await said(operator, "公開を停止した");
  });

  await test.step("the owner learns of it and appeals", async () => {
    expect((await reporter.page.goto(path))?.status()).toBe(404);
    await owner.openAs(CREATOR, "/my/notifications");
    await owner.page
      .getByRole("link", { name: /運営が公開を停止しました/ })
      .first()
      .click();
    await said(owner, "規約の第4条によります");
    await owner.isAlive();
    await owner.page.getByLabel("異議の内容").fill("引用のきまりに沿っています。");
    await owner.page.getByRole("button", { name: "異議を申し出る" }).click();
    await said(owner, "担当者が確認しています。");
  });

  await test.step("the operator grants the appeal, and the post is back", async () => {
    await operator.open("/operator/appeals");
    await operator.page
      .getByRole("link", { name: `投稿 @${CREATOR}` })
      .first()
      .click();
    await said(operator, "引用のきまりに沿っています。");
    await operator.isAlive();
    await operator.page.getByLabel("公開に戻す").check();
    await operator.page.getByRole("button", { name: "答える" }).click();
    await said(operator, "公開に戻した");
    const visitor = await someone();
    expect((await visitor.open(path))?.status()).toBe(200);
    await owner.page.reload();
    await said(owner, "申し出を確認し、もとの状態に戻しました。");
  });
});

test("an operator stops an account with a reason and lets it continue", async ({ someone }) => {
  const [operator, visitor] = [await someone(), await someone()];
  await operator.startOperatorSession(OPERATOR);
  const act = async (title: string, button: string, reason: string) => {
    const form = operator.page.locator("details").filter({ hasText: title }).first();
    await form.locator("summary").click();
    await form.getByLabel("理由").fill(reason);
    await form.getByRole("button", { name: button, exact: true }).click();
  };
  await operator.open("/operator/people?keyword=yamato");
  await operator.page.getByRole("link", { name: "大和 岳" }).first().click();
  await operator.isAlive();
  await act("利用を止める", "利用を止める", "なりすましの申し出のため");
  await said(operator, "利用停止中");
  expect((await visitor.open("/yamato/about"))?.status()).toBe(404);
  await act("利用を再開する", "再開する", "本人と確かめたため");
  await said(operator, "利用中");
  expect((await visitor.open("/yamato/about"))?.status()).toBe(200);
  await operator.open("/operator/acts");
  await said(operator, "本人と確かめたため");
});
