import { expect, type Person, test } from "./support/test.ts";

const comment = "朝の光がきれいです。\n何度も見返しています。";
const reply = "見てくださってありがとうございます。";
const letter = "困らせるつもりの手紙です。";
/** A fan of natsume whom no other journey uses: the reported post stays hidden from her in later journeys. */
const REPORTER = "fan_chika";

/** Opens natsume's newest public post in this person's browser. Returns its path. */
async function openPost({ page }: Person): Promise<string> {
  await page.goto("/natsume");
  const path = await page.locator(".event-card:not(:has(.badge)) a[href*='/events/']").first().getAttribute("href");
  await page.goto(path ?? "");
  return path ?? "";
}

const likeOf = ({ page }: Person) => page.locator(".post-actions").getByRole("button", { name: "いいね" });
const commentsOf = ({ page }: Person) => page.getByRole("region", { name: "コメント" });
const commentWith = (person: Person, text: string) =>
  commentsOf(person)
    .getByRole("listitem")
    .filter({ hasText: text.split("\n")[0] ?? "" });

/** Waits until the script that sends a visitor's likes without a page load (app/visitor/later.ts) has started. */
async function waitForLikeScript({ page }: Person): Promise<void> {
  const script = await page.waitForFunction(
    () => performance.getEntriesByType("resource").find(({ name }) => name.includes("/assets/later-"))?.name,
  );
  // The page imports this module by itself. A second import resolves only after the first, and so waits for it.
  await page.evaluate((name) => import(String(name)), await script.jsonValue());
}

test("readers like and comment on a post, and its creator replies", async ({ someone }) => {
  const fan = await someone();
  let path = "";
  /** The number of likes before the fan's own. */
  let likes = 0;

  await test.step("a visitor likes and unlikes the post", async () => {
    path = await openPost(fan);
    likes = Number(await likeOf(fan).locator("data").getAttribute("value"));
    // The script for likes loads after the page. Until then, a like submits a form.
    if (fan.has_script) await waitForLikeScript(fan);
    await likeOf(fan).click();
    if (fan.has_script) {
      await expect(likeOf(fan)).toHaveAttribute("aria-pressed", "true");
      await expect(likeOf(fan)).toContainText(String(likes + 1));
      // All visitors share the page. This browser remembers its own likes.
      await expect(likeOf(fan)).toHaveAttribute("aria-busy", "false");
      // The cached page counts the like within a second. An older page would show one like too few after the unlike.
      const countLikes = async () => {
        await fan.page.reload();
        return Number(await likeOf(fan).locator("data").getAttribute("value"));
      };
      await expect.poll(countLikes).toBe(likes + 1);
      await expect(likeOf(fan)).toHaveAttribute("aria-pressed", "true");
      await likeOf(fan).click();
      await expect(likeOf(fan)).toHaveAttribute("aria-pressed", "false");
      // Another press is ignored until the answer has come.
      await expect(likeOf(fan)).toHaveAttribute("aria-busy", "false");
    } else {
      await expect(fan.page.getByRole("status")).toContainText("「いいね」しました");
      await fan.page.getByRole("button", { name: "取り消す" }).click();
      await expect(fan.page.getByText("「いいね」を取り消しました")).toBeVisible();
    }
    await expect(likeOf(fan)).toContainText(String(likes));
  });

  await test.step("she likes it again and writes a comment: both are hers after signing in", async () => {
    await likeOf(fan).click();
    if (fan.has_script) await expect(likeOf(fan)).toHaveAttribute("aria-busy", "false");
    await fan.page.getByLabel("コメントを書く").fill(comment);
    await fan.page.getByRole("button", { name: "ログインしてコメントする" }).click();
    await expect(fan.page.getByText("ログインすると、書きかけの内容に戻れます。")).toBeVisible();
    await fan.signIn("fan_taro");
    await expect(fan.page).toHaveURL(`${path}#comments`);
    await expect(likeOf(fan)).toHaveAttribute("aria-pressed", "true");
    await expect(likeOf(fan)).toContainText(String(likes + 1));
    await expect(fan.page.getByLabel("コメントを書く")).toHaveValue(comment);
  });

  await test.step("a comment that is too long keeps its words; she shortens and sends it", async () => {
    await fan.stayingOnThePage(async () => {
      // Comments are hydrated a little after the page.
      if (fan.has_script) await expect(fan.page.getByTestId("remaining")).toBeVisible();
      await fan.page.getByLabel("コメントを書く").fill("あ".repeat(1001));
      if (fan.has_script) await expect(fan.page.getByTestId("remaining")).toHaveText("1文字オーバー");
      await fan.page.getByRole("button", { name: "コメントする" }).click();
      await expect(fan.page.getByText(/1,?000文字以内で入力してください/)).toBeVisible();
      const field = fan.page.getByLabel("コメントを書く");
      await expect(field).toHaveValue("あ".repeat(1001));
      await expect(field).toBeFocused();
      await field.fill(comment);
      await fan.page.getByRole("button", { name: "コメントする" }).click();
      await expect(fan.page.getByText("コメントを送信しました")).toBeVisible();
      await expect(fan.page).toHaveURL(/#comment-[0-9a-z]{26}$/);
      await expect(commentWith(fan, comment)).toContainText("何度も見返しています。");
      await expect(fan.page.getByLabel("コメントを書く")).toHaveValue("");
    });
  });

  await test.step("she unlikes and likes as a member, on the same page", async () => {
    await fan.stayingOnThePage(async () => {
      // The page shows a like at once. Two that are on their way may arrive in either order.
      const answered = fan.has_script && fan.page.waitForResponse(/\/events\/\w+\/like/);
      await likeOf(fan).click();
      await expect(likeOf(fan)).toHaveAttribute("aria-pressed", "false");
      await expect(likeOf(fan)).toContainText(String(likes));
      await answered;
      await likeOf(fan).click();
      await expect(likeOf(fan)).toHaveAttribute("aria-pressed", "true");
    });
  });

  const creator = await someone();

  await test.step("natsume opens the notification, likes the comment, and replies below the post", async () => {
    await creator.openAs("natsume", "/my/notifications");
    await creator.isAlive();
    await creator.page
      .getByRole("link", { name: /たろうさんが.*コメントしました/ })
      .first()
      .click();
    await expect(creator.page).toHaveURL(new RegExp(`${path}#`));
    await creator.isAlive();
    await creator.stayingOnThePage(async () => {
      const thread = commentWith(creator, comment);
      await thread.getByRole("button", { name: "いいね" }).click();
      await expect(thread.getByRole("button", { name: "いいね" })).toHaveAttribute("aria-pressed", "true");
      await thread.getByText("返信", { exact: true }).click();
      await thread.getByLabel(/さんへの返信/).fill(reply);
      await thread.getByRole("button", { name: "返信する" }).click();
      await expect(commentWith(creator, reply)).toContainText("投稿者");
    });
  });

  await test.step("her list of received comments marks the comment as answered", async () => {
    await creator.open("/my/comments");
    const row = creator.page.getByRole("main").getByRole("listitem").filter({ hasText: "朝の光がきれいです。" });
    await expect(row).toContainText("返信済み");
    await creator.open("/my/comments?filter=not_replied");
    await expect(row).toHaveCount(0);
  });

  await test.step("the fan confirms and deletes her comment; its place stays for the reply", async () => {
    await fan.open(path);
    await fan.stayingOnThePage(async () => {
      await commentWith(fan, comment).getByRole("button", { name: "削除", exact: true }).click();
      await expect(fan.page.getByRole("dialog")).toContainText("元に戻せません");
      await fan.page.getByRole("dialog").getByRole("button", { name: "削除する" }).click();
      await expect(fan.page.getByText("コメントを削除しました")).toBeVisible();
      await expect(commentWith(fan, comment)).toHaveCount(0);
      await expect(commentsOf(fan)).toContainText("このコメントは削除されました");
      await expect(commentWith(fan, reply)).toBeVisible();
    });
  });

  await test.step("she logs out, and her browser no longer shows which posts she likes", async () => {
    await fan.page.getByRole("button", { name: /のメニュー$/ }).click();
    await fan.page.getByRole("button", { name: /^ログアウト/ }).click();
    await expect(fan.page).toHaveURL(/\/$/);
    await fan.page.goto(path);
    // The script would mark a like that the browser still remembers.
    if (fan.has_script) await waitForLikeScript(fan);
    await expect(likeOf(fan)).toContainText(String(likes + 1));
    await expect(likeOf(fan)).toHaveAttribute("aria-pressed", "false");
  });

  await test.step("a visitor sees the deleted comment's place, and her like in the count", async () => {
    const visitor = await someone();
    await visitor.page.goto(path);
    await expect(commentsOf(visitor)).toContainText("このコメントは削除されました");
    await expect(likeOf(visitor)).toContainText(String(likes + 1));
  });
});

test("a report hides its content from the reporter, and a block keeps a member away", async ({ someone }) => {
  const fan = await someone();
  await fan.startSession(REPORTER);

  await test.step("she reports a post, with a reason", async () => {
    const path = await openPost(fan);
    await fan.isAlive();
    const title = await fan.page.getByRole("main").getByRole("heading", { level: 1 }).textContent();
    await fan.stayingOnThePage(async () => {
      await fan.page.getByRole("link", { name: "この投稿を通報" }).click();
      await fan.page.getByRole("button", { name: "通報する" }).click();
      await expect(fan.page.getByText("理由を選んでください。")).toBeVisible();
      await fan.page.getByRole("radio", { name: /その他/ }).check();
      await fan.page.getByLabel("くわしい内容（任意）").fill("同じ宣伝が続いています。");
      await fan.page.getByRole("button", { name: "通報する" }).click();
      await expect(fan.page).toHaveURL(/\/natsume$/);
      await expect(fan.page.getByText("通報を受け付けました。")).toBeVisible();
      await expect(fan.page.getByRole("link", { name: title ?? "" })).toHaveCount(0);
    });
    expect((await fan.page.goto(path))?.status()).toBe(404);
  });

  const creator = await someone();

  await test.step("the creator blocks the reporter on the reporter's page, after an explanation", async () => {
    await creator.openAs("natsume", `/${REPORTER}`);
    await creator.isAlive();
    await creator.stayingOnThePage(async () => {
      await creator.page.getByRole("button", { name: /についての操作$/ }).click();
      await creator.page.getByRole("button", { name: "ブロックする" }).first().click();
      await expect(creator.page.getByRole("dialog")).toContainText("相手には知らされません");
      if (creator.has_script) {
        await creator.page.keyboard.press("Escape");
        await expect(creator.page.getByRole("button", { name: /についての操作$/ })).toBeFocused();
        await creator.page.keyboard.press("Enter");
        await creator.page.getByRole("button", { name: "ブロックする" }).first().click();
      }
      await creator.page.getByRole("dialog").getByRole("button", { name: "ブロックする" }).click();
      await expect(creator.page.getByText("ブロックしています。")).toBeVisible();
    });
  });

  await test.step("her letter is refused with a message, and keeps its words", async () => {
    await fan.open("/natsume/ofuse");
    await fan.stayingOnThePage(async () => {
      await fan.page.getByLabel("メッセージ").fill(letter);
      await fan.page.getByRole("button", { name: "送信する" }).click();
      await expect(fan.page.getByText("この相手には、この操作ができません。")).toBeVisible();
      await expect(fan.page.getByLabel("メッセージ")).toHaveValue(letter);
    });
  });

  await test.step("the creator unblocks her in the settings", async () => {
    await creator.open("/my/settings");
    await creator.stayingOnThePage(async () => {
      await creator.page.getByText("設定の一覧").click();
      await creator.page.getByRole("main").getByRole("link", { name: "ブロック", exact: true }).click();
      await creator.page.getByRole("button", { name: "ブロックを解除" }).click();
      await expect(creator.page.getByText("ブロックした相手はいません")).toBeVisible();
    });
  });

  await test.step("the creator saves an automatic answer, and the fan reads it after sending a letter", async () => {
    await creator.open("/my/settings/reactions");
    await creator.stayingOnThePage(async () => {
      await creator.page.getByLabel("無料のofuseへのお礼").fill("受け取りました。ゆっくり読みますね。");
      await creator.page.getByRole("button", { name: "保存する" }).click();
      await expect(creator.page.getByText("設定を保存しました")).toBeVisible();
    });
    await fan.stayingOnThePage(async () => {
      await fan.page.getByRole("button", { name: "送信する" }).click();
      await expect(fan.page.getByRole("region", { name: "なつめさんからのお礼" })).toContainText(
        "ゆっくり読みますね。",
      );
    });
  });

  await test.step("the block ended the fan's follow, and she follows again", async () => {
    await fan.open("/natsume");
    const main = fan.page.getByRole("main");
    await fan.stayingOnThePage(async () => {
      await main.getByRole("button", { name: "フォローする" }).click();
      await expect(main.getByRole("button", { name: "フォロー中", exact: true })).toBeVisible();
    });
  });
});
