import type { Page } from "playwright/test";
import { expect, test } from "./support/test.ts";

/** One transparent pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

/**
 * Tests faults that only a page without reloads can have. Without JavaScript each form loads a page, and the browser
 * keeps the page before it.
 */

test("following from the letter page, and liking above a reply, keep the typed words", async ({ someone }) => {
  const fan = await someone();
  await fan.openAs("fan_taro", "/akari/ofuse");
  await fan.stayingOnThePage(async () => {
    await fan.page.getByLabel("メッセージ").fill("焼き菓子、家族みんなで");
    await fan.page.getByRole("button", { name: "フォローする" }).click();
    await expect(fan.page.getByText("フォローしました")).toBeVisible();
    await expect(fan.page.getByRole("button", { name: "フォロー中", exact: true })).toBeVisible();
    await expect(fan.page.getByLabel("メッセージ")).toHaveValue("焼き菓子、家族みんなで");
  });

  const creator = await someone();
  await creator.openAs("sumire", "/my/box?filter=not_replied");
  await creator.page.getByRole("main").getByRole("listitem").first().getByRole("link").click();
  await expect(creator.page.getByLabel("返信", { exact: true })).toBeVisible();
  await creator.stayingOnThePage(async () => {
    await creator.page.getByLabel("返信", { exact: true }).fill("書きかけの返事");
    const like = creator.page.getByRole("button", { name: "いいね" });
    const before = await like.getAttribute("aria-pressed");
    await like.click();
    await expect(like).toHaveAttribute("aria-pressed", before === "true" ? "false" : "true");
    await expect(creator.page.getByLabel("返信", { exact: true })).toHaveValue("書きかけの返事");
  });
});

test("a cancelled request is not reported as an error", async ({ someone }) => {
  const fan = await someone();
  await fan.openAs("fan_taro", "/");
  await fan.isAlive();
  const is_reported = await fan.page.evaluate(
    () =>
      new Promise((resolve) => {
        window.addEventListener("unhandledrejection", ({ defaultPrevented }) => resolve(!defaultPrevented));
        Promise.reject(new DOMException("signal is aborted without reason", "AbortError"));
      }),
  );
  expect(is_reported).toBe(false);
});

test("a dropped connection keeps the page of every form, and says so", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  const told = page.locator(".toast-alert").getByText("通信できませんでした。");
  const dropConnections = () => page.route("**/*.data*", (route) => route.abort("connectionreset"));
  await fan.openAs("fan_hana", "/kanade/ofuse");
  await fan.stayingOnThePage(async () => {
    await page.getByLabel("メッセージ").fill("電車の中で書いています");
    await dropConnections();
    await page
      .getByRole("button", { name: /^フォロー/ })
      .first()
      .click();
    await expect(told).toBeVisible();
    // A toast stays for seconds, so a busy machine may not see both at once.
    await told.evaluateAll((all) => {
      for (const each of all) each.setAttribute("data-is-old", "");
    });
    await page.getByRole("button", { name: "のメニュー" }).click();
    await page.getByRole("button", { name: /^ログアウト/ }).click();
    await expect(told.and(page.locator(":not([data-is-old])"))).toBeVisible();
    await expect(page.getByLabel("メッセージ")).toHaveValue("電車の中で書いています");
  });
  await page.unroute("**/*.data*");
  await fan.open("/my/followings");
  await fan.stayingOnThePage(async () => {
    await dropConnections();
    await page.getByRole("button", { name: "お知らせを" }).first().click();
    await expect(told).toBeVisible();
    await expect(page.getByRole("heading", { name: "フォロー中" })).toBeVisible();
  });
});

/** Fails every load of a page's data; forms are sent. */
const dropReloads = (page: Page) =>
  page.route("**/*.data*", (route) =>
    route.request().method() === "GET" ? route.abort("connectionreset") : route.continue(),
  );

test("a reload that fails keeps the page, which loads its data when the network is back", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  const follow = page.getByRole("button", { name: /^フォロー/ }).first();
  await fan.openAs("fan_taro", "/kanade/ofuse");
  await fan.stayingOnThePage(async () => {
    await page.getByLabel("メッセージ").fill("トンネルの多い路線です");
    const before = (await follow.textContent()) ?? "";
    await dropReloads(page);
    await follow.click();
    await expect(page.locator(".toast-alert").getByText("最新の内容を読み込めませんでした。")).toBeVisible();
    await expect(page.getByRole("button", { name: "のメニュー" })).toBeVisible();
    const loaded = page.waitForResponse(
      (response) => response.request().method() === "GET" && response.url().includes(".data") && response.ok(),
    );
    await page.unroute("**/*.data*");
    await loaded;
    await expect(follow).not.toHaveText(before);
    await expect(page.getByLabel("メッセージ")).toHaveValue("トンネルの多い路線です");
  });
});

test("a link that cannot be followed shows why, and the member stays signed in", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  const link = page.getByRole("link", { name: "プロフィール" });
  await fan.openAs("fan_taro", "/kanade");
  await fan.isAlive();
  // The script of the next page must be there: without it, the browser loads a document.
  await link.click();
  await expect(link).toHaveAttribute("aria-current", "page");
  const goBack = async () => {
    await page.goBack();
    await expect(link).not.toHaveAttribute("aria-current", "page");
  };
  await goBack();
  const isMember = async () => {
    await expect(page.getByRole("button", { name: "のメニュー" })).toBeVisible();
    await expect(page.getByRole("link", { name: "ログイン" })).toHaveCount(0);
  };
  await dropReloads(page);
  await link.click();
  await expect(page.getByRole("heading", { level: 1, name: "通信できませんでした" })).toBeVisible();
  await expect(page.getByRole("main").getByText("500")).toHaveCount(0);
  await isMember();
  await page.unroute("**/*.data*");
  await goBack();
  await page.route("**/*.data*", (route) =>
    route.fulfill({ status: 503, contentType: "text/html", body: "<p>503</p>" }),
  );
  await link.click();
  await expect(page.getByRole("heading", { level: 1, name: "ただいま表示できません" })).toBeVisible();
  await isMember();
});

test("offline, a button whose page was never loaded keeps the page and its words", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  const follow = page.getByRole("button", { name: /^フォロー/ }).first();
  await fan.openAs("fan_taro", "/ren/ofuse");
  // The script that watches the page's forms also writes this key, so it has started.
  await page.waitForFunction(() => localStorage.getItem("lastViewCreatorId"));
  await fan.stayingOnThePage(async () => {
    await page.getByLabel("メッセージ").fill("トンネルの中で書いています");
    const before = await follow.textContent();
    await page.context().setOffline(true);
    await follow.click();
    await expect(page.getByRole("alert").getByText("通信できませんでした。")).toBeInViewport();
    await page.context().setOffline(false);
    await follow.click();
    await expect(follow).not.toHaveText(before ?? "");
    await expect(page.getByLabel("メッセージ")).toHaveValue("トンネルの中で書いています");
  });
});

for (const page of ["/hibiki", "/hibiki/ofuse"]) {
  test(`a dropped connection leaves the letter on ${page}, to be sent once more and only once`, async ({ someone }) => {
    const fan = await someone();
    const letter = `新しい曲、何度も聴いています。${page}`;
    await fan.openAs("fan_hana", `${page}`);
    await fan.stayingOnThePage(async () => {
      await fan.page.getByLabel("メッセージ").fill(letter);
      await fan.page.route("**/*.data*", (route) => route.abort("connectionreset"));
      await fan.page.getByRole("button", { name: "送信する" }).click();
      await expect(fan.page.getByText("通信できませんでした。")).toBeVisible();
      await expect(fan.page.getByLabel("メッセージ")).toHaveValue(letter);
      await fan.page.unroute("**/*.data*");
      await fan.page.getByRole("button", { name: "送信する" }).click();
      await expect(fan.page.getByText("送信しました")).toBeVisible();
      await expect(fan.page).toHaveURL(/\/hibiki\/ofuse$/);
      await expect(fan.page.getByLabel("メッセージ")).toHaveValue("");
    });
    await fan.open("/my/box?type=sent");
    await expect(fan.page.getByText(letter, { exact: true })).toHaveCount(1);
  });
}

test("liking a letter and sending an empty reply at once shows the reply's error", async ({ someone }) => {
  const creator = await someone();
  const { page } = creator;
  await creator.openAs("akari", "/my/box?filter=not_replied");
  await page.getByRole("main").getByRole("listitem").first().getByRole("link").click();
  // The letter's own data have arrived.
  await expect(page.getByLabel("返信", { exact: true })).toBeVisible();
  // Let the reply arrive after the like was answered and the page reloaded its data, as on a slow connection.
  await page.route(/\/my\/box\/\w+\.data/, async (route) => {
    const is_reply = route.request().postData()?.includes("reply=") ?? false;
    if (is_reply) await readAnew;
    await route.continue();
  });
  const readAnew = page.waitForResponse((response) => {
    return response.request().method() === "GET" && /\/my\/box\/\w+\.data/.test(response.url());
  });
  await creator.stayingOnThePage(async () => {
    await page.getByRole("button", { name: "いいね" }).click();
    await page.getByRole("button", { name: "返信を送る" }).click();
    await expect(page.getByText("返信を入力してください。")).toBeVisible();
    await expect(page.getByLabel("返信", { exact: true })).toBeFocused();
    await page.getByLabel("返信", { exact: true }).fill("あ");
    await expect(page.getByText("返信を入力してください。"), "it is being mended").toBeHidden();
  });
});

test("a reply's error stays while the letter is liked and unliked", async ({ someone }) => {
  const creator = await someone();
  const { page } = creator;
  await creator.openAs("akari", "/my/box?filter=not_replied");
  await page.getByRole("main").getByRole("listitem").first().getByRole("link").click();
  await expect(page.getByLabel("返信", { exact: true })).toBeVisible();
  const like = page.getByRole("button", { name: "いいね" });
  await creator.stayingOnThePage(async () => {
    await page.getByRole("button", { name: "返信を送る" }).click();
    await expect(page.getByText("返信を入力してください。")).toBeVisible();
    for (let press = 1; press <= 3; press++) {
      const before = await like.getAttribute("aria-pressed");
      const sent = page.waitForResponse((response) => response.request().postData()?.includes("is_liked") ?? false);
      const readAnew = page.waitForResponse((response) => {
        return response.request().method() === "GET" && /\/my\/box\/\w+\.data/.test(response.url());
      });
      await like.click();
      await Promise.all([sent, readAnew]);
      await expect(like).toHaveAttribute("aria-pressed", before === "true" ? "false" : "true");
    }
    await expect(page.getByText("返信を入力してください。")).toBeVisible();
  });
  const shown = (await like.getAttribute("aria-pressed")) ?? "";
  await page.reload();
  await expect(like, "the server has the last press").toHaveAttribute("aria-pressed", shown);
});

test("a page's script that arrives late does not move the page away from the fan who has gone on", async ({
  someone,
}) => {
  const fan = await someone();
  const { page } = fan;
  await page.setViewportSize({ width: 375, height: 667 });
  await fan.openAs("fan_hana", "/natsume/ofuse/paid");
  await page.getByLabel("メッセージ").fill("ひ".repeat(300));
  const chosen = Promise.withResolvers<void>();
  await page.route("**/assets/*.js", async (route) => {
    await chosen.promise;
    await route.continue();
  });
  // The page's `load` event waits for its scripts.
  await page.getByRole("button", { name: "内容を確認する" }).click({ noWaitAfter: true });
  await expect(page.getByLabel("メッセージ"), "without the script").toBeFocused();
  const amount = page.getByLabel(/^1,100円（税込）/);
  await amount.check();
  const readScroll = () => page.evaluate(() => scrollY);
  const place = await readScroll();
  chosen.resolve();
  await fan.isAlive();
  await expect(amount).toBeFocused();
  await expect(amount).toBeChecked();
  expect(await readScroll()).toBe(place);
});

test("a comment that was sent before the script had started does not count as unsent", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  await fan.openAs("fan_taro", "/akari");
  await page.locator(".event-card a[href*='/events/']").first().click();
  await expect(page).toHaveURL(/\/events\//);
  const pressed = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  // Playwright evaluates nothing while a form is being sent. The app keeps what is typed into a form from when it listens.
  const before = Promise.withResolvers<void>();
  const after = Promise.withResolvers<void>();
  await page.exposeFunction("keepsWords", (hash: string) => (hash ? after : before).resolve());
  await page.addInitScript(() => {
    const { addEventListener } = EventTarget.prototype;
    EventTarget.prototype.addEventListener = function (type: string, ...rest: [never]) {
      addEventListener.call(this, type, ...rest);
      if (type !== "input" || !(this instanceof HTMLFormElement)) return;
      if (this.querySelector("#words-comment")) Reflect.get(window, "keepsWords")(location.hash);
    };
  });
  await page.route("**/assets/*.js", async (route) => {
    await pressed.promise;
    await route.continue();
  });
  await page.route("**/comments", async (route) => {
    await started.promise;
    await route.continue();
  });
  // Chromium reads no more of a document from which a form has been sent.
  await page.reload({ waitUntil: "domcontentloaded" });
  const field = page.getByLabel("コメントを書く");
  await field.fill("急いで押したコメント");
  await page.getByRole("button", { name: "コメントする" }).click({ noWaitAfter: true });
  pressed.resolve();
  await before.promise;
  started.resolve();
  await expect(page).toHaveURL(/#comment-/);
  await after.promise;
  await expect(page.getByText("急いで押したコメント")).toHaveCount(1);
  await expect(page.getByText("まだ送信していません")).toHaveCount(0);
  await expect(field).toHaveValue("");
});

test("unsent words return with their page, to their author alone", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  const letter = page.getByLabel("メッセージ");
  const unsent = page.getByText("まだ送信していません");
  const profile = page.getByRole("link", { name: "プロフィール", exact: true });
  const leavePage = async () => {
    await profile.click();
    // The address changes before the page does.
    await expect(profile).toHaveAttribute("aria-current", "page");
  };
  await fan.openAs("fan_hana", "/akari/ofuse");
  await fan.stayingOnThePage(async () => {
    await letter.fill("書きかけの手紙");
    await leavePage();
    await expect(page).toHaveURL(/\/about$/);
    await page.goBack();
    await expect(unsent).toBeVisible();
    await expect(letter).toHaveValue("書きかけの手紙");
    await page.getByRole("button", { name: "送信する" }).click();
    await expect(page.getByText("さんに届けました。")).toBeVisible();
    await leavePage();
    await expect(page).toHaveURL(/\/about$/);
    await page.goBack();
    await expect(letter).toHaveValue("");
    await expect(unsent).toBeHidden();
  });

  await letter.fill("はなだけの言葉");
  const readStorage = () => page.evaluate(() => JSON.stringify({ ...sessionStorage }));
  await expect.poll(readStorage).toContain("はなだけの言葉");
  await page.context().clearCookies({ name: /^soziId/ });
  await fan.openAs("fan_taro", "/akari/ofuse");
  await fan.isAlive();
  await expect.poll(readStorage).not.toContain("はなだけの言葉");
  await expect(letter).toHaveValue("");

  await letter.fill("たろうの言葉");
  await expect.poll(readStorage).toContain("たろうの言葉");
  await page.getByRole("button", { name: /のメニュー$/ }).click();
  await page.getByRole("button", { name: /^ログアウト/ }).click();
  await expect(page.getByText("ログアウトしました")).toBeVisible();
  await expect.poll(readStorage).not.toContain("たろうの言葉");
});

test("a profile keeps unsaved changes, and asks before it drops an upload in progress", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  const picture = { name: "icon.png", mimeType: "image/png", buffer: PNG };
  const link = page.getByLabel(/^リンク\d+のURL$/).last();
  const leavePage = () =>
    page
      .getByRole("link", { name: /^お知らせ/ })
      .first()
      .click();
  await fan.openAs("fan_taro", "/my/settings");
  await fan.stayingOnThePage(async () => {
    await page.getByLabel("表示名").fill("たろう（改名中）");
    await page.getByRole("button", { name: "リンクを追加" }).click();
    await link.fill("https://unsent.example/");
    const chosen = page.getByAltText("アイコン（いまの画像）");
    const former = (await chosen.getAttribute("src")) ?? "";
    await page.getByLabel("アイコン", { exact: true }).setInputFiles(picture);
    await expect(chosen).not.toHaveAttribute("src", former);
    const src = (await chosen.getAttribute("src")) ?? "";
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem("unsentWords"))).toContain(src.split("/")[2]);
    await leavePage();
    await expect(page).toHaveURL(/\/my\/notifications$/);
    // The address changes before the page does.
    await expect(page.getByRole("heading", { name: "お知らせ", level: 1 })).toBeVisible();
    await page.goBack();
    await expect(page.getByText("まだ保存していません")).toBeVisible();
    await expect(page.getByLabel("表示名")).toHaveValue("たろう（改名中）");
    await expect(link).toHaveValue("https://unsent.example/");
    await expect(chosen).toHaveAttribute("src", src);

    await page.route("**/my/uploads/**", () => {});
    await page.getByLabel("カバー画像", { exact: true }).setInputFiles(picture);
    await expect(page.getByRole("progressbar", { name: "icon.pngの送信" })).toBeVisible();
    page.once("dialog", (dialog) => dialog.dismiss());
    const asked = page.waitForEvent("dialog");
    await leavePage();
    expect((await asked).message()).toContain("このページを離れますか");
    await expect(page).toHaveURL(/\/my\/settings$/);
  });
});

test("a comment's notification leads to the comment, on a complete post", async ({ someone }) => {
  const fan = await someone();
  await fan.openAs("fan_taro", "/ren");
  await fan.isAlive();
  await fan.page.getByRole("region", { name: "投稿" }).getByRole("listitem").first().getByRole("link").first().click();
  await fan.page.getByLabel("コメントを書く").fill("お知らせから見つけてください");
  await fan.page.getByRole("button", { name: "コメントする" }).click();
  await expect(fan.page.getByText("コメントを送信しました")).toBeVisible();

  const creator = await someone();
  const { page } = creator;
  await creator.openAs("ren", "/my/notifications");
  await creator.stayingOnThePage(async () => {
    await page.evaluate(() => {
      const observer = new MutationObserver(() => {
        const has_buttons = document.querySelector(".event-foot") !== null;
        const is_whole =
          document.querySelector(".event-head + :not(.event-foot)") && document.querySelector("#comments");
        if (has_buttons && !is_whole) document.documentElement.dataset.torn = "true";
      });
      observer.observe(document, { subtree: true, childList: true });
    });
    await page
      .getByRole("link", { name: /コメント/ })
      .filter({ hasText: "たろう" })
      .first()
      .click();
    const comment = page.getByRole("listitem").filter({ hasText: "お知らせから見つけてください" });
    await expect(comment).toBeInViewport();
    await expect(comment).toHaveCSS("outline-style", "solid");
    await expect(page.locator("html")).not.toHaveAttribute("data-torn");
  });
});

test("a notification lights the dot of an open page, and joins an open list", async ({ someone }) => {
  const [creator, fan] = [await someone(), await someone()];
  const isOpened = (socket: { url(): string }) => new URL(socket.url()).pathname === "/session/notifications";
  await creator.openAs("sumire", "/my/notifications");
  await creator.page.getByRole("button", { name: "すべて既読にする" }).click();
  const bell = creator.page.getByRole("banner").getByRole("link", { name: "お知らせ" });
  await expect(bell).toHaveAccessibleName("お知らせ");
  /** Waits for the first message: it may come before the page has loaded. */
  const waitUntilTold = async () => {
    const socket = await creator.page.waitForEvent("websocket", isOpened);
    await socket.waitForEvent("framereceived");
  };
  await Promise.all([waitUntilTold(), creator.page.goto("/my/posts")]);

  await fan.openAs("fan_taro", "/sumire/ofuse");
  const write = async (message: string) => {
    await fan.page.goto("/sumire/ofuse");
    await fan.page.getByLabel("メッセージ").fill(message);
    await fan.page.getByRole("button", { name: "送信する" }).click();
    await expect(fan.page.getByText("送信しました")).toBeVisible();
  };
  await write("点をともす手紙");
  await expect(bell).toHaveAccessibleName("お知らせ（未読あり）");
  await bell.click();
  await expect(creator.page.getByText("点をともす手紙")).toBeVisible();
  await write("一覧に加わる手紙");
  await expect(creator.page.getByText("一覧に加わる手紙")).toBeVisible();

  // The dot ends in the member's other tabs when the notifications are read in one.
  await Promise.all([waitUntilTold(), creator.page.goto("/my/posts")]);
  await expect(bell).toHaveAccessibleName("お知らせ（未読あり）");
  const other = await creator.page.context().newPage();
  await other.goto("/my/notifications");
  await other.getByRole("button", { name: "すべて既読にする" }).click();
  await expect(bell).toHaveAccessibleName("お知らせ");
});

test("a refused change of posts shows the list as it is, with the others still ticked", async ({ someone }) => {
  const creator = await someone();
  const { page } = creator;
  await creator.openAs("natsume", "/my/posts");
  await creator.isAlive();
  const boxes = page.getByRole("checkbox");
  const [kept = "", gone = ""] = await boxes.evaluateAll((all) => all.map((box) => (box as HTMLInputElement).value));
  const boxOf = (id: string) => page.locator(`input[value="${id}"]`);
  const other = await page.context().newPage();
  await other.goto("/my/posts");
  await other.locator(`[commandfor="delete-${gone}"]`).first().click();
  await other.locator(`#delete-${gone}`).getByRole("button", { name: "削除する" }).click();
  await expect(other.locator(`input[value="${gone}"]`)).toHaveCount(0);
  for (const id of [kept, gone]) await boxOf(id).check();
  await page.getByLabel("変更の内容").selectOption("category:");
  await page.locator(".batch").getByRole("button", { name: "変更する" }).click();
  await expect(page.getByRole("alert")).toContainText("すでに削除されているものがあります");
  await expect(boxOf(gone)).toHaveCount(0);
  await expect(boxOf(kept)).toBeChecked();
});

test("when the shell's script cannot be loaded, the shell stays, and links and forms load pages", async ({
  someone,
}) => {
  const fan = await someone();
  const { page } = fan;
  await page.route("**/assets/around-*.js", (route) => route.abort());
  await fan.openAs("ren", "/akari");
  const gaveUp = () => expect(page.locator("html")).toHaveAttribute("data-hydrated", "partly");
  await gaveUp();
  await page.getByRole("button", { name: "フォローする" }).click();
  await expect(page.getByText("フォローしました")).toBeVisible();
  await gaveUp();
  await page.evaluate(() => document.body.setAttribute("data-is-old", ""));
  await page.getByRole("banner").getByRole("link", { name: "お知らせ" }).click();
  await expect(page.getByRole("heading", { name: "お知らせ", level: 1 })).toBeVisible();
  await expect(page.locator("body")).not.toHaveAttribute("data-is-old");
  await gaveUp();
  await expect(page.getByRole("banner")).toBeVisible();
  await expect(page.getByRole("contentinfo")).toBeVisible();
});

test("words and open panels stay with their post, their person and their case", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  await fan.openAs("fan_hana", "/natsume");
  await page
    .locator("a[href*='/events/']:visible")
    .first()
    .evaluate((link: HTMLAnchorElement) => link.click());
  const comment = page.getByLabel("コメントを書く");
  const neighbours = page.getByRole("navigation", { name: "前後の投稿" });
  await expect(neighbours).toBeVisible();
  await fan.stayingOnThePage(async () => {
    const here = page.url();
    await comment.fill("この投稿への言葉");
    await page.getByRole("main").getByText("シェア", { exact: true }).click();
    await expect(page.getByLabel("このページのURL")).toBeVisible();
    // On a phone the panel covers the link.
    await neighbours.getByRole("link").first().press("Enter");
    await expect(page).not.toHaveURL(here);
    await expect(page.getByLabel("このページのURL")).toBeHidden();
    await expect(comment).toHaveValue("");
    await page.goBack();
    await expect(comment).toHaveValue("この投稿への言葉");
  });

  await page.setViewportSize({ width: 1280, height: 900 });
  await fan.open("/hibiki/ofuse");
  await fan.stayingOnThePage(async () => {
    await page.getByRole("searchbox", { name: "クリエイター検索" }).first().fill("大和");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/search\?/);
    await page.getByRole("main").getByRole("link", { name: "大和" }).first().click();
    await expect(page).toHaveURL(/\/yamato$/);
    await page.getByRole("link", { name: "ofuseを送る" }).first().click();
    await expect(page).toHaveURL(/\/yamato\/ofuse$/);
    // The page before has such a field too.
    await expect(page.getByRole("heading", { level: 1, name: "ofuseを送る", exact: true })).toBeVisible();
    await page.getByLabel("メッセージ").fill("大和さんだけへの手紙");
    await page.evaluate(() => history.go(-3));
    await expect(page).toHaveURL(/\/hibiki\/ofuse$/);
    await expect(page.getByLabel("メッセージ")).toHaveValue("");
  });
});

test("an operator's words stay with the post they are about", async ({ someone }) => {
  const [reader, operator] = [await someone(), await someone()];
  const { page } = operator;
  await reader.open("/natsume");
  const paths = await reader.page
    .locator("a[href*='/events/']")
    .evaluateAll((links) => [...new Set(links.map((link) => link.getAttribute("href")?.replace(/[?#].*/, "") ?? ""))]);
  const note = page.getByLabel("ひとこと（任意）");
  await operator.startOperatorSession("fan_taro");
  await operator.open(`/operator/removals?address=${paths[0]}`);
  await operator.stayingOnThePage(async () => {
    await page.getByText("公開を停止する").first().click();
    await note.fill("はじめの投稿について");
    await page.getByLabel("アドレス").fill(paths[1] ?? "");
    await page.getByRole("button", { name: "探す" }).click();
    await expect(note).toBeHidden();
    await expect(note).toHaveValue("");
    await page.goBack();
    await expect(note).toHaveValue("はじめの投稿について");
  });
});

test("the keyboard keeps its place when a form is sent", async ({ someone }) => {
  const creator = await someone();
  const { page } = creator;
  await creator.openAs("natsume", "/my/share/links");
  await creator.stayingOnThePage(async () => {
    const down = page.getByRole("button", { name: /^1番目の.*を下へ$/ });
    const name = (await down.getAttribute("aria-label"))?.slice(4, -3);
    await down.focus();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("button", { name: `2番目の${name}を下へ` })).toBeFocused();
  });

  for (const [link_id, path] of [
    ["ren", "/my/memberships"],
    ["natsume", "/my/posts/categories"],
  ] as const) {
    await creator.openAs(link_id, path);
    await creator.isAlive();
    const rows = page.getByRole("main").locator("ol > li");
    const up = rows.nth(1).getByRole("button", { name: /^「.*」を上へ$/ });
    const [, title] = /^「(.*)」/.exec((await up.getAttribute("aria-label")) ?? "") ?? [];
    await up.press("Enter");
    // The pressed button is gone at the end of the list.
    await expect(page.getByRole("button", { name: `「${title}」を下へ` })).toBeFocused();
    await expect(rows.first().getByRole("status")).toHaveText(`「${title}」を1番目に移しました`);
    await page.keyboard.press("Enter");
    await expect(rows.nth(1).getByRole("status")).toHaveText(`「${title}」を2番目に移しました`);
  }

  await creator.open("/my/settings");
  const kinds = page.getByRole("combobox", { name: /^リンク\d+の種類$/ });
  const before = await kinds.count();
  await page.getByRole("button", { name: "リンクを追加" }).press("Enter");
  await expect(kinds).toHaveCount(before + 1);
  await expect(kinds.last()).toBeFocused();

  await creator.open("/my/settings/factors/totp");
  await page.getByRole("button", { name: "設定をはじめる" }).press("Enter");
  await expect(page.getByRole("heading", { name: "1. 認証アプリに登録する" })).toBeFocused();

  const fan = await someone();
  await fan.openAs("fan_hana", "/natsume");
  await fan.page
    .locator("a[href*='/events/']:visible")
    .first()
    .evaluate((link: HTMLAnchorElement) => link.click());
  const field = fan.page.getByLabel("コメントを書く");
  const button = fan.page.getByRole("button", { name: "コメントする" });
  await expect(field).toBeVisible();
  await fan.stayingOnThePage(async () => {
    let answer = () => {};
    const is_waiting = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let posts = 0;
    await fan.page.route("**/comments.data*", async (route) => {
      if (route.request().method() === "POST") posts += 1;
      await is_waiting;
      await route.continue();
    });
    await field.fill("キーボードで書きました");
    await button.focus();
    await fan.page.keyboard.press("Enter");
    const sending = fan.page.getByRole("button", { name: "送信しています…" });
    await expect(sending).toBeFocused();
    await fan.page.keyboard.press("Enter");
    answer();
    await expect(fan.page.getByText("キーボードで書きました")).toBeVisible();
    await expect(field).toBeFocused();
    expect(posts).toBe(1);
    // A removed comment leaves the place at the list.
    const comment = fan.page.getByRole("listitem").filter({ hasText: "キーボードで書きました" });
    await comment.getByRole("button", { name: "削除" }).press("Enter");
    await comment.getByRole("button", { name: "削除する" }).press("Enter");
    await expect(comment).toHaveCount(0);
    await expect.poll(() => fan.page.evaluate(() => document.activeElement?.tagName)).not.toBe("BODY");
  });
});

test("the next page of a list begins at the heading of the list", async ({ someone }) => {
  const creator = await someone();
  const { page } = creator;
  for (const [path, heading] of [
    ["/my/box", "レターボックス"],
    ["/natsume", "投稿"],
    ["/?filter=all", "フォロー中の新着"],
  ] as const) {
    await creator.openAs("natsume", path);
    await creator.isAlive();
    const next = page.getByRole("link", { name: "次のページ" });
    await creator.stayingOnThePage(async () => {
      for (let number = 2; (await next.count()) > 0; number++) {
        await next.press("Enter");
        await expect(page).toHaveTitle(new RegExp(`（${number}ページ目）｜ofuse$`));
        await expect(page.getByRole("heading", { name: heading, exact: true })).toBeFocused();
        await expect(page.locator("p[aria-live=polite]")).toHaveText(await page.title());
      }
    });
  }
});

test("a navigation says the title of the page, and closes what lies over it", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  await page.setViewportSize({ width: 800, height: 900 });
  await fan.openAs("fan_hana", "/my/box");
  await fan.stayingOnThePage(async () => {
    const said = page.locator("p[aria-live=polite]");
    await expect(said).toHaveText("");
    await page.getByRole("button", { name: "メニューを開く" }).click();
    await page.getByRole("dialog", { name: "メニュー" }).getByRole("link", { name: "フォロー中" }).click();
    await expect(page).toHaveTitle(/^フォロー中/);
    await expect(said).toHaveText(await page.title());
    await page.getByRole("button", { name: "メニューを開く" }).click();
    await expect(page.getByRole("dialog", { name: "メニュー" })).toBeVisible();
    await page.goBack();
    await expect(page).toHaveTitle(/^レターボックス/);
    await expect(said).toHaveText(await page.title());
    await expect(page.getByRole("dialog", { name: "メニュー" })).toBeHidden();
    await page.getByRole("button", { name: /のメニュー$/ }).click();
    await expect(page.locator("#user-menu")).toBeVisible();
    await page.goForward();
    await expect(page).toHaveTitle(/^フォロー中/);
    await expect(page.locator("#user-menu")).toBeHidden();
  });
});
