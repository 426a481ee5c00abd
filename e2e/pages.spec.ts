import { IN_CHROMIUM } from "./support/plain-page.ts";
import { expect, test } from "./support/test.ts";

/** Pages with our own texts, and the page for outbound links. */

test("a question opens and closes by the keyboard, and its answer has a link", { tag: IN_CHROMIUM }, async ({
  someone,
}) => {
  const { page } = await someone();
  await page.goto("/help");
  const question = page.getByText("手数料はいくらですか");
  const answer = page.getByText("決済の手数料を含み、1円未満は切り捨てます。");
  await expect(answer).toBeHidden();
  await question.focus();
  await page.keyboard.press("Enter");
  await expect(answer).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(answer).toBeHidden();
  await page.getByText("何から始めればよいですか").click();
  await page.getByRole("main").getByRole("link", { name: "クリエイターキット" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "クリエイターキット" })).toBeVisible();
});

test("the contents of the terms link to each article", { tag: IN_CHROMIUM }, async ({ someone }) => {
  const { page } = await someone();
  await page.goto("/terms");
  await page.getByText("目次", { exact: true }).click();
  await page
    .getByRole("navigation", { name: "目次" })
    .getByRole("link", { name: "第8条（クリエイターの報酬）" })
    .click();
  await expect(page.getByRole("heading", { name: "第8条（クリエイターの報酬）" })).toBeInViewport();
});

test("a creator's link shows its target before it opens", { tag: IN_CHROMIUM }, async ({ someone }) => {
  const { page } = await someone();
  await page.goto("/natsume");
  const link = page.locator(".creator-links a").first();
  await link.click();
  await expect(page.getByRole("heading", { name: "外部サイトへ移動します" })).toBeVisible();
  const onward = page.getByRole("link", { name: "このサイトを開く" });
  const host = new URL((await onward.getAttribute("href")) ?? "").host;
  await expect(page.locator(".outbound-host")).toHaveText(host);
  await page.route(`https://${host}/**`, async (route) => {
    const { referer } = await route.request().allHeaders();
    await route.fulfill({ contentType: "text/plain", body: `from ${referer ?? "nowhere"}` });
  });
  await onward.click();
  await expect(page.getByText("from nowhere")).toBeVisible();
});
