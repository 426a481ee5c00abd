import { follows } from "../scripts/demo/follows.ts";
import { IN_CHROMIUM } from "./support/plain-page.ts";
import { expect, test } from "./support/test.ts";

const letter = "坂道の絵がとても好きです。\n毎朝ひらいて元気をもらっています。";
const followers = follows.filter(([, creator]) => creator === "natsume").length;
const reply = "うれしいお手紙をありがとうございます。また描きますね。";

test("a visitor's follow is done after the sign-in; she writes a letter and reads the reply", async ({ someone }) => {
  const fan = await someone();

  await test.step("she opens the page from a link and sees all of it", async () => {
    await fan.page.goto("/natsume");
    await expect(fan.page.getByRole("heading", { name: "なつめ", level: 1 })).toBeVisible();
    await expect(fan.page.getByText("@natsume")).toBeVisible();
    await expect(fan.page.getByText("透明水彩の絵を描いています")).toBeVisible();
    await expect(fan.page.getByText(`${followers} フォロワー`)).toBeVisible();
    await expect(fan.page.getByRole("link", { name: "pixiv" })).toBeVisible();
    await expect(fan.page.getByRole("heading", { name: "メンバーシップ" })).toBeVisible();
    await expect(fan.page.getByRole("region", { name: "投稿" }).getByRole("listitem")).toHaveCount(20);
    await expect(fan.page.locator("script:not([type='application/ld+json'], [src^='/assets/visitor-'])")).toHaveCount(
      0,
    );
  });

  await test.step("she pages through the older posts", async () => {
    await fan.page.getByRole("link", { name: "次のページ" }).click();
    await expect(fan.page.getByText("2ページ目")).toBeVisible();
    await fan.page.getByRole("link", { name: "前のページ" }).click();
    await expect(fan.page.getByRole("link", { name: "前のページ" })).toHaveCount(0);
  });

  await test.step("she presses follow, signs in, and follows", async () => {
    await fan.page.getByRole("button", { name: "フォローする" }).click();
    await expect(fan.page).toHaveURL(/\/login\?to=%2Fnatsume$/);
    await expect(fan.page.getByText("ログインすると、フォローが完了します。")).toBeVisible();
    await fan.page.getByLabel("メールアドレス").fill("fan_taro@demo.example");
    await fan.page.getByLabel("パスワード").fill("not-my-password");
    await fan.page.getByRole("button", { name: "ログイン", exact: true }).click();
    await expect(fan.page.getByText("メールアドレスまたはパスワードが正しくありません。")).toBeVisible();
    await fan.signIn("fan_taro");
    await expect(fan.page).toHaveURL(/\/natsume$/);
    await expect(fan.page.getByRole("status")).toHaveText("フォローしました");
    await expect(fan.page.getByRole("button", { name: "フォロー中", exact: true })).toBeVisible();
  });

  await test.step("she unfollows and follows again, on the same page", async () => {
    await fan.stayingOnThePage(async () => {
      await fan.page.getByRole("button", { name: "フォロー中", exact: true }).click();
      await expect(fan.page.getByRole("button", { name: "フォローする" })).toBeVisible();
      await expect(fan.page.getByText("フォローを解除しました")).toBeVisible();
      await fan.page.getByRole("button", { name: "フォローする" }).click();
      await expect(fan.page.getByRole("button", { name: "フォロー中", exact: true })).toBeVisible();
    });
  });

  await test.step("a letter that is too long is returned with its text", async () => {
    await fan.stayingOnThePage(async () => {
      const field = fan.page.getByLabel("メッセージ");
      await field.fill("あ".repeat(203));
      if (fan.has_script) await expect(fan.page.getByTestId("remaining")).toHaveText("3文字オーバー");
      await fan.page.getByRole("button", { name: "送信する" }).click();
      await expect(fan.page.getByText("メッセージは200文字以内で入力してください（現在203文字）。")).toBeVisible();
      await expect(field).toHaveValue("あ".repeat(203));
      await expect(field).toHaveAttribute("aria-invalid", "true");
      await expect(field).toBeFocused();
    });
  });

  await test.step("she sends it", async () => {
    await fan.stayingOnThePage(async () => {
      await fan.page.getByLabel("メッセージ").fill(letter);
      if (fan.has_script) await expect(fan.page.getByTestId("remaining")).toHaveText("残り169文字");
      await fan.page.getByRole("button", { name: "送信する" }).click();
      await expect(fan.page.getByText("送信しました")).toBeVisible();
      await expect(fan.page.getByLabel("メッセージ")).toHaveValue("");
      await expect(fan.page.getByText("なつめさんに届けました。")).toBeVisible();
      await expect(fan.page.getByRole("status").getByText("今日はあと2通、無料で送れます。")).toBeVisible();
      await expect(fan.page.getByRole("link", { name: "送ったofuseを見る" })).toHaveAttribute(
        "href",
        /^\/my\/box\/\w{26}$/,
      );
    });
  });

  const creator = await someone();

  await test.step("natsume finds it among her notifications and in her box", async () => {
    await creator.openAs("natsume", "/my/box");
    await expect(creator.page.getByRole("banner").getByRole("link", { name: "お知らせ（未読あり）" })).toBeVisible();
    const first = creator.page.getByRole("main").getByRole("listitem").first();
    await expect(first).toContainText("坂道の絵がとても好きです");
    await expect(first).toContainText("未読");
    await creator.stayingOnThePage(async () => {
      await first.getByRole("link").click();
      await expect(creator.page.getByText("毎朝ひらいて元気をもらっています。")).toBeVisible();
    });
  });

  await test.step("she finds it again by a word, and moves to the next one found and back", async () => {
    const { page } = creator;
    await page.getByRole("link", { name: "レターボックスへ戻る" }).click();
    await page.getByLabel("言葉や名前").fill("坂道");
    await page.getByRole("button", { name: "表示する" }).click();
    await expect(page.getByText("「坂道」のあるofuse")).toBeVisible();
    await page.getByRole("main").getByRole("listitem").first().getByRole("link").click();
    await expect(page.getByText("毎朝ひらいて元気をもらっています。")).toBeVisible();
    await expect(page.getByRole("link", { name: "次のofuse" })).toBeVisible();
    await expect(page.getByRole("link", { name: "前のofuse" })).toHaveCount(0);
    await page.getByRole("link", { name: "次のofuse" }).click();
    await expect(page.getByText("毎朝ひらいて元気をもらっています。")).toHaveCount(0);
    await expect(page.getByRole("article")).toContainText("坂道");
    if (creator.has_script) await page.keyboard.press("ArrowLeft");
    else await page.getByRole("link", { name: "前のofuse" }).click();
    await expect(page.getByText("毎朝ひらいて元気をもらっています。")).toBeVisible();
  });

  await test.step("she likes it and replies", async () => {
    await creator.stayingOnThePage(async () => {
      await creator.page.getByRole("button", { name: "いいね" }).click();
      await expect(creator.page.getByRole("button", { name: "いいね" })).toHaveAttribute("aria-pressed", "true");
      await creator.page.getByRole("button", { name: "返信を送る" }).click();
      await expect(creator.page.getByText("返信を入力してください。")).toBeVisible();
      await creator.page.getByLabel("返信", { exact: true }).fill(reply);
      await creator.page.getByRole("button", { name: "返信を送る" }).click();
      await expect(creator.page.getByText("返信を送信しました")).toBeVisible();
      await expect(creator.page.getByRole("region", { name: "返信" })).toContainText(reply);
    });
  });

  await test.step("the fan opens the notification, and reads the reply", async () => {
    await fan.open("/my/notifications");
    await fan.stayingOnThePage(async () => {
      await fan.page.getByRole("link", { name: "なつめさんからofuseの返信が届きました。" }).first().click();
      await expect(fan.page).toHaveURL(/\/my\/box\/[0-9a-z]{26}$/);
      await expect(fan.page.getByRole("region", { name: "返信" })).toContainText(reply);
      await expect(fan.page.getByText("なつめさんが「いいね」しました")).toBeVisible();
    });
  });

  await test.step("both log out", async () => {
    for (const person of [fan, creator]) {
      await person.page.getByRole("button", { name: /のメニュー$/ }).click();
      await person.page.getByRole("button", { name: /^ログアウト/ }).click();
      await expect(person.page).toHaveURL(/\/$/);
      await expect(person.page.getByText("ログアウトしました")).toBeVisible();
      await expect(person.page.getByRole("link", { name: "ログイン" }).first()).toBeVisible();
      await person.page.goto("/my/box");
      await expect(person.page).toHaveURL(/\/login/);
    }
  });
});

test("a fourth letter of a day is refused with a visible message, and keeps its words", { tag: IN_CHROMIUM }, async ({
  someone,
}) => {
  const fan = await someone();
  const field = fan.page.getByLabel("メッセージ");
  await fan.openAs("fan_hana", "/mio/ofuse");
  for (const left of ["あと3通", "あと2通", "あと1通"]) {
    await fan.isAlive();
    await expect(fan.page.getByText(`今日は${left}、無料で送れます。`).last()).toBeVisible();
    await field.fill(`手紙（${left}）`);
    await fan.page.getByRole("button", { name: "送信する" }).click();
    await expect(fan.page.getByText("さんに届けました。")).toBeVisible();
    await expect(field).toHaveValue("");
  }
  await fan.isAlive();
  await expect(fan.page.getByText("今日の3通は送りました。").last()).toBeVisible();
  await field.fill("四通目");
  await fan.page.getByRole("button", { name: "送信する" }).click();
  const refusal = fan.page.getByRole("alert").filter({ hasText: "1日3通まで" });
  await expect(refusal).toBeFocused();
  await expect(refusal).toBeInViewport();
  await expect(field).toHaveValue("四通目");
});
