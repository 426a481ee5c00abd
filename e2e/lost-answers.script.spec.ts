import type { Page } from "playwright/test";
import { expect, test } from "./support/test.ts";

/** Tests forms whose answer is lost after the server has done what they say: sending them again does it no second time. */

const UNCONFIRMED = "送信できたかどうかを確認できませんでした。もう一度送信しても、二重には送られません。";

/** Loses the answer to the next form, or lets a gateway replace it. */
async function loseAnswer(page: Page, gateway_status: number | null = null): Promise<void> {
  let is_lost = false;
  await page.route("**/*.data*", async (route) => {
    if (is_lost || route.request().method() !== "POST") return route.continue();
    is_lost = true;
    await route.fetch();
    if (gateway_status === null) await route.abort("connectionreset");
    else await route.fulfill({ status: gateway_status, contentType: "text/html", body: "<h1>Bad Gateway</h1>" });
  });
}

for (const [loss, status, said] of [
  ["lost", null, "通信できませんでした。"],
  ["replaced by a gateway", 502, "少し時間をおいて"],
] as const) {
  test(`a payout whose answer is ${loss} is made once`, async ({ someone }) => {
    const creator = await someone();
    const { page } = creator;
    const amount = status === null ? 1_010 : 1_020;
    await creator.openAs("natsume", `/my/transactions/payout?amount=${amount}`);
    await creator.stayingOnThePage(async () => {
      await loseAnswer(page, status);
      const button = page.getByRole("button", { name: "この内容で申請する" });
      await button.click();
      await expect(page.locator(".toast-alert").getByText(said)).toBeVisible();
      await button.click();
      await expect(page.getByText("振込を申請しました")).toBeVisible();
    });
    await creator.open("/my/transactions/payouts");
    await expect(page.getByText(`残高から${amount.toLocaleString("ja-JP")}円`)).toHaveCount(1);
  });
}

test("a letter whose answer is lost is sent once, also after a reload, and an edited one is refused once", async ({
  someone,
}) => {
  const fan = await someone();
  const { page } = fan;
  const letter = page.getByLabel("メッセージ");
  const send = () => page.getByRole("button", { name: "送信する" }).click();
  const words = "地下鉄から送った手紙です";
  await fan.openAs("fan_sora", "/sumire/ofuse");
  await fan.isAlive();
  await letter.fill(words);
  await loseAnswer(page);
  await send();
  await expect(page.getByText("通信できませんでした。")).toBeVisible();
  await page.reload();
  await fan.isAlive();
  await expect(page.getByText(UNCONFIRMED)).toBeVisible();
  await expect(letter).toHaveValue(words);
  await letter.fill(`${words}。`);
  await send();
  await expect(page.getByText("すでに別の内容が送信されています")).toBeVisible();
  await expect(page.getByText(UNCONFIRMED)).toBeHidden();
  await letter.fill(words);
  await page.reload();
  await fan.isAlive();
  await expect(page.getByText("まだ送信していません")).toBeVisible();
  await fan.open("/my/box?type=sent");
  await expect(page.getByText(words, { exact: true })).toHaveCount(1);
});

test("a letter whose answer is lost is sent once although another button of its page was answered meanwhile", async ({
  someone,
}) => {
  const fan = await someone();
  const { page } = fan;
  const words = "橋の上から送った手紙です";
  const send = () => page.getByRole("button", { name: "送信する" }).click();
  await fan.openAs("fan_sora", "/kanade/ofuse");
  await fan.isAlive();
  await page.getByLabel("メッセージ").fill(words);
  await loseAnswer(page);
  await send();
  await expect(page.getByText("通信できませんでした。")).toBeVisible();
  const follow = page.locator("form[action='/kanade/follow'] button").first();
  const before = (await follow.getAttribute("value")) ?? "";
  const answer = page.waitForResponse((response) => response.url().includes("/kanade/follow"));
  await follow.click();
  expect((await answer).ok()).toBe(true);
  await expect(follow).not.toHaveAttribute("value", before);
  await send();
  await expect(page.getByText("さんに届けました").first()).toBeVisible();
  await fan.open("/my/box?type=sent");
  await expect(page.getByText(words, { exact: true })).toHaveCount(1);
});

test("a plan whose answer is lost is opened once, also after a reload", async ({ someone }) => {
  const creator = await someone();
  const { page } = creator;
  await creator.openAs("natsume", "/my/memberships/new");
  await creator.isAlive();
  const fieldOf = (name: string) => page.getByRole("main").locator(`[name=${name}]`);
  await fieldOf("title").fill("電車のプラン");
  await fieldOf("description").fill("電車の中で考えたプランです。");
  await fieldOf("amount").fill("500");
  await loseAnswer(page);
  await page.locator("button[value=open]").click();
  await expect(page.getByText("通信できませんでした。")).toBeVisible();
  await page.reload();
  await creator.isAlive();
  await expect(page.getByText(UNCONFIRMED)).toBeVisible();
  await page.locator("button[value=open]").click();
  await expect(page).toHaveURL(/\/my\/memberships$/);
  await expect(page.getByRole("main").getByText("電車のプラン", { exact: true })).toHaveCount(1);
});

// Each writer has four newsletters a month.
for (const [author, is_saved, reloads] of [
  ["natsume", true, true],
  ["kanade", false, true],
  ["sumire", false, false],
] as const) {
  const when = is_saved ? "after its draft was saved" : "before a draft was saved";
  test(`a newsletter whose answer is lost ${when} is sent once, ${reloads ? "also after" : "without"} a reload`, async ({
    someone,
  }) => {
    const writer = await someone();
    const { page } = writer;
    const main = page.getByRole("main");
    const title = `電車の便り（${is_saved ? "下書きあり" : "下書きなし"}、${reloads ? "再読み込み" : "そのまま"}）`;
    const publish = async () => {
      await main.getByRole("button", { name: "いますぐ配信する" }).click();
      await main.getByRole("button", { name: "配信する", exact: true }).click();
    };
    await writer.openAs(author, "/my/news_letters/new");
    await writer.isAlive();
    await main.getByRole("button", { name: "テキストで書く" }).click();
    if (!is_saved) await page.route("**/save.json", (route) => route.abort("connectionreset"));
    await main.getByLabel("タイトル").fill(title);
    await page.locator("textarea[name=body]").fill("一駅ごとに書きました。");
    await expect(main).toContainText(is_saved ? "下書きを保存しました" : "下書きを保存できませんでした");
    await loseAnswer(page);
    await publish();
    await expect(page.getByText("通信できませんでした。")).toBeVisible();
    if (is_saved) await expect(page).toHaveURL(/news_letters\/\w{26}\/edit$/);
    await page.unroute("**/save.json");
    page.on("dialog", (dialog) => dialog.accept());
    if (reloads) {
      await page.reload();
      await writer.isAlive();
      if (!is_saved) await expect(page.getByText(UNCONFIRMED)).toBeVisible();
    } else await page.evaluate(() => dispatchEvent(new Event("online")));
    if (!is_saved) await publish();
    await expect(main.getByRole("article").getByRole("heading", { name: title })).toBeVisible();
    for (const [filter, count] of [
      ["", 1],
      ["?filter=draft", 0],
    ] as const) {
      await writer.open(`/my/news_letters${filter}`);
      await expect(main.getByText(title, { exact: true })).toHaveCount(count);
    }
  });
}

test("a comment after one whose page could not be loaded again is accepted", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  const comment = page.getByLabel("コメントを書く");
  await fan.openAs("fan_taro", "/natsume");
  const path = await page.locator(".event-card:not(:has(.badge)) a[href*='/events/']").first().getAttribute("href");
  const post = path?.replace(/[?#].*$/, "") ?? "";
  await fan.open(post);
  await fan.stayingOnThePage(async () => {
    await page.route("**/*.data*", (route) =>
      route.request().method() === "GET" ? route.abort("connectionreset") : route.continue(),
    );
    for (const words of ["トンネルの前の感想", "トンネルの中の感想"]) {
      await comment.fill(words);
      // Comments are hydrated a little after the page.
      await expect(page.getByTestId("remaining")).toBeVisible();
      await page.getByRole("button", { name: "コメントする" }).click();
      await expect(comment).toHaveValue("");
    }
    await page.unroute("**/*.data*");
  });
  await fan.open(post);
  for (const words of ["トンネルの前の感想", "トンネルの中の感想"]) {
    await expect(page.getByText(words, { exact: true })).toHaveCount(1);
  }
});

test("the words of a paid letter return to their form, until the page of the payment has them", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  const letter = page.getByLabel("メッセージ");
  const words = "電車の中で書いた、長い手紙です。";
  await fan.openAs("fan_hana", "/natsume/ofuse/paid");
  await fan.isAlive();
  await letter.fill(words);
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem("unsentWords"))).toContain(words);
  await fan.open("/natsume");
  await fan.open("/natsume/ofuse/paid");
  await expect(page.getByText("まだ送信していません")).toBeVisible();
  await expect(letter).toHaveValue(words);
  await page.getByRole("button", { name: "内容を確認する" }).click();
  await expect(page).toHaveURL(/\/checkout\/\w{26}$/);
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem("unsentWords"))).not.toContain(words);
  await fan.open("/natsume/ofuse/paid");
  await fan.isAlive();
  await expect(letter).toHaveValue("");
});
