import { openSql } from "../scripts/sql.ts";
import { expect, test } from "./support/test.ts";

test("a fan joins a plan, reads a locked post, leaves the plan, and reads until the paid month ends", async ({
  someone,
  network,
}) => {
  const person = await someone();
  const { page } = person;
  await person.openAs("fan_taro", "/natsume/plans");
  await page.getByRole("link", { name: "窓辺の席", exact: true }).click();
  const post = page.getByRole("region", { name: "このプランで読める投稿" }).getByRole("link").first();
  await post.click();
  await expect(page.getByRole("heading", { name: /限定です$/ })).toBeVisible();
  await page.getByRole("link", { name: "プランを見る" }).click();
  await page.getByRole("link", { name: "このプランに加入する" }).click();
  const order = page.getByRole("region", { name: "窓辺の席" });
  await expect(order).toContainText("本日のお支払い");
  await expect(order).toContainText("500円（税込）");
  await expect(order).toContainText("解約");
  await page.getByRole("button", { name: "内容を確認して、お支払いへ進む" }).click();

  await page.getByLabel("カード番号").fill("4000 0000 0000 0002");
  await page.getByLabel("有効期限（月/年）").fill("12/40");
  await page.getByLabel("セキュリティコード").fill("123");
  await page.getByLabel("メールアドレス").fill("taro@mail.example");
  await page.getByLabel("お名前").fill("TARO");
  const pay = page.getByRole("button", { name: /支払う|登録|申し込/ }).first();
  await pay.click();
  await expect(page.getByRole("alert").first()).toBeVisible();
  await page.getByLabel("カード番号").fill("4242 4242 4242 4242");
  await page.getByLabel("有効期限（月/年）").fill("12/40");
  await page.getByLabel("セキュリティコード").fill("123");
  await pay.click();

  await expect(page.getByRole("heading", { name: "加入しました" })).toBeVisible();
  await page.getByRole("link", { name: "読んでいた投稿へ戻る" }).click();
  await expect(page).toHaveURL(/\/events\/\w+$/);
  // The address changes before the page does.
  await expect(page.getByRole("heading", { name: "加入しました" })).toHaveCount(0);
  await expect(page.getByRole("contentinfo")).toBeVisible();
  await expect(page.getByRole("heading", { name: /限定です$/ })).toHaveCount(0);

  await page.goto("/my/subscriptions");
  await page.getByRole("link", { name: "窓辺の席", exact: true }).click();
  await page.getByRole("link", { name: /の請求書$/ }).click();
  await expect(page.getByRole("article")).toContainText("うち消費税額（10%）45円");
  await page.getByRole("link", { name: "加入の内容へ戻る" }).click();
  await page.getByRole("link", { name: "解約の手続きへ" }).click();
  await page.getByRole("button", { name: "解約する" }).click();
  await expect(page.getByRole("region", { name: /^窓辺の席/ })).toContainText("に終了します。");
  await page.getByRole("link", { name: "窓辺の席", exact: true }).click();
  await post.click();
  await expect(page).toHaveURL(/\/events\//);
  await expect(post).toHaveCount(0);
  await expect(page.getByRole("contentinfo")).toBeVisible();
  await expect(page.getByRole("heading", { name: /限定です$/ })).toHaveCount(0);

  const d1 = openSql(network.miniflare, "api");
  await d1
    .prepare(
      `UPDATE subscriptions SET paid_until = ? WHERE user_id = (SELECT user_id FROM users WHERE link_id = 'fan_taro')
        AND membership_id = (SELECT membership_id FROM memberships WHERE title = '窓辺の席')`,
    )
    .bind(new Date().toISOString())
    .run();
  await page.reload();
  await expect(page.getByRole("heading", { name: /限定です$/ })).toBeVisible();
});
