import { expect, test } from "./support/test.ts";

test("a new member signs up, confirms her address, gives a name, and follows the creator she chose", async ({
  someone,
}) => {
  const { page } = await someone();
  const email = "new.person@mail.example";

  await test.step("a visitor presses follow, and chooses to sign up", async () => {
    await page.goto("/hibiki");
    await page.getByRole("button", { name: "フォローする" }).click();
    await page.getByRole("main").getByRole("link", { name: "新規登録" }).click();
  });

  await test.step("a short password is refused beside its field, and the address stays", async () => {
    await page.getByLabel("メールアドレス").fill(email);
    await page.getByLabel("パスワード").fill("short");
    await page.getByRole("button", { name: "確認メールを送る" }).click();
    await expect(page.getByText("パスワードは8文字以上で入力してください。")).toBeVisible();
    await expect(page.getByLabel("メールアドレス")).toHaveValue(email);
    await expect(page.getByLabel("パスワード")).toBeFocused();
  });

  await test.step("the page asks her to read her mail", async () => {
    await page.getByLabel("パスワード").fill("a-long-password-2026");
    await page.getByRole("button", { name: "確認メールを送る" }).click();
    await expect(page.getByRole("heading", { name: "確認メールを送りました" })).toBeVisible();
  });

  await test.step("she cannot sign in before confirming, and gets another mail", async () => {
    await page.getByRole("main").getByRole("link", { name: "ログインする" }).click();
    await page.getByLabel("メールアドレス").fill(email);
    await page.getByLabel("パスワード").fill("a-long-password-2026");
    await page.getByRole("button", { name: "ログイン", exact: true }).click();
    await expect(page.getByText("確認メールをもう一度お送りしました")).toBeVisible();
  });

  await test.step("she opens the mail and confirms", async () => {
    const mail = page.getByRole("listitem").filter({ hasText: email });
    await expect(async () => {
      await page.goto("/dev/outbox");
      await expect(mail).not.toHaveCount(0, { timeout: 1 });
    }).toPass();
    await mail.first().getByRole("link").first().click();
    await page.getByRole("button", { name: "メールアドレスを確認する" }).click();
    await expect(page.getByRole("heading", { name: "アカウント登録" })).toBeVisible();
  });

  await test.step("every page leads to the registration until she gives her name", async () => {
    await page.goto("/my/box");
    await expect(page).toHaveURL(/\/signup\/registration$/);
    await page.getByRole("button", { name: "登録する" }).click();
    await expect(page.getByText("表示名を入力してください。")).toBeVisible();
    await page.getByLabel("表示名").fill("はじめての人");
    await page.getByLabel("生まれた年").fill("1998");
    await page.getByRole("button", { name: "登録する" }).click();
    await expect(page.getByRole("button", { name: /^はじめての人 .*のメニュー$/ })).toBeVisible();
  });

  await test.step("she follows the creator", async () => {
    await page.goto("/hibiki");
    await expect(page.getByRole("button", { name: "フォロー中", exact: true })).toBeVisible();
  });
});

test("signing up with an address that has an account looks the same", async ({ someone }) => {
  const { page } = await someone();
  await page.goto("/signup");
  await page.getByLabel("メールアドレス").fill("natsume@demo.example");
  await page.getByLabel("パスワード").fill("another-password-2026");
  await page.getByRole("button", { name: "確認メールを送る" }).click();
  await expect(page.getByRole("heading", { name: "確認メールを送りました" })).toBeVisible();
});

test("an account without a name has to register first", async ({ someone }) => {
  const person = await someone();
  await person.page.goto("/login?to=/natsume");
  await person.signIn("fan_new");
  await expect(person.page).toHaveURL(/\/signup\/registration\?to=%2Fnatsume$/);
  // Wait for hydration: a form sent earlier would not report the registration to the next page.
  await person.isAlive();
  await person.page.getByLabel("表示名").fill("👩‍🎨 新人さん");
  await person.page.getByLabel("生まれた年").fill("1998");
  await person.page.getByRole("button", { name: "登録する" }).click();
  await expect(person.page).toHaveURL(/\/natsume$/);
  await expect(person.page.getByText("アカウント登録が完了しました")).toBeVisible();
  // Without a script, the page has only those words.
  const welcome = person.page.getByRole("dialog", { name: "登録ありがとうございます" });
  await expect(welcome).toHaveCount(person.has_script ? 1 : 0);
});
