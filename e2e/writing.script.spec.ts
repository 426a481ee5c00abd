import { expect, type Person, test } from "./support/test.ts";

/** Tests what scripts add to the form of a post: saving by itself, reports of failures, and an editor. */

// Gives these journeys their own worker process: one of them hung three times at the end of a shared process.
test.use({ overrides: {} });

const SAVE = "**/save.json";

async function openForm(writer: Person, link_id: string): Promise<void> {
  await writer.openAs(link_id, "/my/posts/new?content_type=blog");
  await expect(writer.page.getByRole("toolbar", { name: "書式" })).toBeVisible();
}

/** Opens the form of a new post and lets it save itself with a title. */
async function beginDraft(writer: Person, title: string): Promise<void> {
  await openForm(writer, "natsume");
  await writer.page.getByLabel("タイトル").fill(title);
  await expect(writer.page.getByText(/下書きを保存しました/)).toBeVisible();
}

const textField = (writer: Person) => writer.page.locator("textarea[name=body]");
/**
 * The rich editor, and not the text field of the same name. The editor hides that field when it has loaded, and a click
 * on a field that disappears never ends.
 */
const richEditor = (writer: Person) =>
  writer.page.getByRole("textbox", { name: "本文" }).and(writer.page.locator("[contenteditable]"));
const pressButton = (writer: Person, name: string) =>
  writer.page.getByRole("main").getByRole("button", { name, exact: true }).click();
const switchToText = (writer: Person) => pressButton(writer, "テキストで書く");
/** Lets saves through from when the button is pressed. The page saves again by itself too, and then has no such button. */
async function saveOnceMore(writer: Person): Promise<void> {
  const pressed = Promise.withResolvers<void>();
  await writer.page.route(SAVE, async (route) => {
    await pressed.promise;
    await route.continue();
  });
  await pressButton(writer, "もう一度保存する");
  pressed.resolve();
}

test("a draft saves itself once the writer pauses, and is there after a reload", async ({ someone }) => {
  const writer = await someone();
  await openForm(writer, "natsume");
  await writer.page.getByLabel("タイトル").fill("ひとりでに");
  const saved = writer.page.waitForResponse(
    (response) => response.request().postData()?.includes("書いたまま。") ?? false,
  );
  await richEditor(writer).pressSequentially("書いたまま。");
  await saved;
  await expect(writer.page.getByText(/下書きを保存しました \d\d:\d\d/)).toBeVisible();
  // The next save changes nothing that a screen reader announces.
  const said = writer.page.locator(".post-status").getByRole("status");
  await expect(said).toHaveText("下書きを保存しました");
  await said.evaluate((status) => {
    const options = { childList: true, characterData: true, subtree: true };
    new MutationObserver(() => status.setAttribute("data-spoken", "")).observe(status, options);
  });
  const saved_again = writer.page.waitForResponse(
    (response) => response.request().postData()?.includes("ひとりでに、また") ?? false,
  );
  await writer.page.getByLabel("タイトル").fill("ひとりでに、また");
  await saved_again;
  // The page shows the time again after it has processed the answer.
  await expect(writer.page.getByText(/下書きを保存しました \d\d:\d\d/)).toBeVisible();
  await expect(said).toBeVisible();
  await expect(said).not.toHaveAttribute("data-spoken");
  await writer.page.reload();
  await expect(richEditor(writer)).toHaveText("書いたまま。");
  await expect(writer.page.getByLabel("タイトル")).toHaveValue("ひとりでに、また");
});

test("the toolbar says each name once, and asks for both parts of a reading", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "natsume");
  for (const button of await page.getByRole("toolbar", { name: "書式" }).getByRole("button").all()) {
    await expect(button).toHaveAccessibleDescription("");
  }
  await pressButton(writer, "ルビ（ふりがな）");
  const dialog = page.getByRole("dialog", { name: "ふりがなを付ける" });
  await dialog.getByLabel("文字").fill("漢字");
  await page.keyboard.press("Enter");
  await expect(dialog).toBeVisible();
  await dialog.getByLabel("ふりがな").fill("かんじ");
  await page.keyboard.press("Enter");
  await expect(richEditor(writer).locator("ruby")).toHaveText("漢字かんじ");
});

test("a text that becomes too long is announced once", async ({ someone }) => {
  const fan = await someone();
  await fan.openAs("fan_hana", "/my/settings");
  await fan.isAlive();
  const bio = fan.page.getByLabel("自己紹介");
  const said = fan.page.locator(".counter + [aria-live]");
  await bio.fill("あ");
  await expect(said).toHaveText("");
  await bio.fill("あ".repeat(5000));
  await expect(said).toHaveText("文字数の上限を超えました");
});

test("a save without a connection keeps the words, says so, asks before leaving, and is retried", async ({
  someone,
}) => {
  const writer = await someone();
  const { page } = writer;
  // The script that asks about links loads after hydration. Some seconds later it opens this socket.
  const loaded = page.waitForEvent("websocket");
  await openForm(writer, "natsume");
  await loaded;
  await page.route(SAVE, (route) => route.abort());
  await page.getByLabel("タイトル").fill("圏外の日");
  await pressButton(writer, "下書き保存");
  await expect(page.getByText("下書きを保存できませんでした。内容はこの画面に残っています。")).toBeVisible();
  // Leaving within the site asks for confirmation, and staying keeps everything.
  // Both presses in one task, as a busy page may receive them.
  const questioned = page.waitForEvent("dialog").then(async (question) => {
    await question.dismiss();
    return question.type();
  });
  await page.evaluate(() => {
    document.querySelector<HTMLElement>("main button[value=save]")?.click();
    document.querySelector<HTMLElement>('main a[href="/my/posts/new"]')?.click();
  });
  expect(await questioned).toBe("confirm");
  await expect(page.getByLabel("タイトル")).toHaveValue("圏外の日");
  // Closing asks too.
  const asked = page.waitForEvent("dialog");
  const closing = page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  await closing;

  await saveOnceMore(writer);
  await expect(page.getByText(/下書きを保存しました/)).toBeVisible();
  await page.goto("/my/posts?status=draft");
  await expect(page.getByRole("link", { name: "圏外の日", exact: true })).toBeVisible();
});

test("words typed just before a link is pressed are saved from the next page, which says so until they are", async ({
  someone,
}) => {
  const writer = await someone();
  const { page } = writer;
  await beginDraft(writer, "はじめの言葉");
  const left = Promise.withResolvers<void>();
  await page.route(SAVE, async (route) => {
    await left.promise;
    await route.fulfill({ status: 503, contentType: "text/html", body: "<h1>503</h1>" });
  });
  await page.getByLabel("タイトル").fill("さいごの言葉");
  await page.locator('main a[href="/my/posts/new"]').click();
  await expect(page.getByLabel("タイトル")).toBeHidden();
  // A toast stays for seconds, which a busy machine may miss. The page collects the texts of all toasts.
  await page.evaluate(() => {
    const toasts = new Set<string>();
    Object.assign(window, { toasts });
    new MutationObserver(() => {
      for (const { textContent } of document.querySelectorAll(".toast-alert")) toasts.add(textContent);
    }).observe(document.body, { childList: true, subtree: true });
  });
  left.resolve();
  await expect
    .poll(() => page.evaluate(() => [...(window as unknown as { toasts: Set<string> }).toasts].join()))
    .toContain("まだ下書きに保存できていません");
  const saved = page.waitForResponse((response) => response.url().endsWith("/save.json") && response.ok());
  await page.unroute(SAVE);
  // The page sends the words again when the writer returns to it.
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await saved;
  await expect(page).toHaveURL(/\/my\/posts\/new$/);
  const tab = await page.context().newPage();
  await tab.goto("/my/posts?status=draft");
  await expect(tab.getByRole("link", { name: "さいごの言葉", exact: true })).toBeVisible();
});

test("a long text that is not saved yet asks before the page is closed", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await beginDraft(writer, "長い文");
  const asked_about = Promise.withResolvers<void>();
  await page.route(SAVE, async (route) => {
    await asked_about.promise;
    await route.continue();
  });
  await switchToText(writer);
  await textField(writer).fill("長".repeat(25_000));
  const asked = page.waitForEvent("dialog");
  const closing = page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  await closing;
  // A short save may have been held first, and its answer does not save the long text.
  const saved = page.waitForResponse(
    (response) => response.ok() && (response.request().postData()?.includes("長長長") ?? false),
  );
  asked_about.resolve();
  await saved;
  await expect(page.getByText(/下書きを保存しました/)).toBeVisible();
  // A save that is still held continues before the page is closed.
  await page.unrouteAll({ behavior: "wait" });
});

test("a lost answer is not mistaken for another page's save", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "natsume");
  // The server saves, but its answer is lost.
  await page.route(SAVE, async (route) => {
    const request = route.request();
    const body = new Uint8Array(request.postDataBuffer() ?? []);
    await fetch(request.url(), { method: "POST", headers: await request.allHeaders(), body });
    await route.abort();
  });
  await page.getByLabel("タイトル").fill("届かない返事");
  await pressButton(writer, "下書き保存");
  await expect(page.getByText("下書きを保存できませんでした。")).toBeVisible();
  await page.getByLabel("タイトル").fill("届かない返事、二度目");
  await saveOnceMore(writer);
  await expect(page.getByText(/下書きを保存しました/)).toBeVisible();
  await expect(page.getByText("別の画面でも保存されています")).toHaveCount(0);
});

test("an answer that is not the site's is not taken for a saved draft", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await writer.openAs("natsume", "/my/news_letters/new");
  await expect(page.getByRole("toolbar", { name: "書式" })).toBeVisible();
  await page.route(SAVE, (route) => route.fulfill({ status: 200, contentType: "text/html", body: "<h1>Wi-Fi</h1>" }));
  await page.getByLabel("タイトル").fill("駅のWi-Fi");
  await expect(page.getByText("下書きを保存できませんでした。")).toBeVisible();
  await expect(page).toHaveURL(/\/my\/news_letters\/new$/);
  await saveOnceMore(writer);
  await expect(page.getByText(/下書きを保存しました/)).toBeVisible();
  await expect(page).toHaveURL(/news_letters\/\w{26}\/edit$/);
  await page.reload();
  await expect(page.getByLabel("タイトル")).toHaveValue("駅のWi-Fi");
});

test("a page without the script that saves says so, asks before leaving, and saves with its button", async ({
  someone,
}) => {
  const writer = await someone();
  const { page } = writer;
  await page.route("**/assets/desk-*.js", (route) => route.abort());
  await openForm(writer, "natsume");
  await expect(page.getByText("自動保存できません。「下書き保存」を押してください。")).toBeVisible();
  await page.getByLabel("タイトル").fill("部品のない日");
  await richEditor(writer).pressSequentially("手で保存する。");
  const asked = page.waitForEvent("dialog");
  const closing = page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  await closing;
  await pressButton(writer, "下書き保存");
  await expect(page.getByText("下書きを保存しました")).toBeVisible();
  await page.reload();
  await expect(page.getByLabel("タイトル")).toHaveValue("部品のない日");
  await expect(richEditor(writer)).toHaveText("手で保存する。");
});

test("a page loads the script that saves again, and then saves what was typed without it", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await page.clock.install();
  await page.route("**/assets/desk-*.js", (route) => route.abort(), { times: 1 });
  await openForm(writer, "natsume");
  await expect(page.getByText("自動保存できません。")).toBeVisible();
  await page.getByLabel("タイトル").fill("部品が届いた日");
  await page.clock.fastForward(10_000);
  await expect(page.getByText(/下書きを保存しました/)).toBeVisible();
  await page.goto("/my/posts?status=draft");
  await expect(page.getByRole("link", { name: "部品が届いた日", exact: true })).toBeVisible();
});

test("the form stays without the scripts of its help and its editor", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await page.route(/\/assets\/(?:markup-help|editor\.client)-.*\.js$/, (route) => route.abort());
  await writer.openAs("natsume", "/my/posts/new?content_type=blog");
  await writer.isAlive();
  await page.getByLabel("タイトル").fill("素のままで");
  await textField(writer).fill("編集機能のない日。");
  await expect(page.getByText(/下書きを保存しました/)).toBeVisible();
});

test("a post whose publication had no answer is not blamed on another page", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "natsume");
  await page.getByLabel("タイトル").fill("届かない公開");
  await richEditor(writer).pressSequentially("公開した文。");
  // The server publishes, but its answer is lost.
  const FORM = "**/my/posts/new.data?**";
  await page.route(FORM, async (route) => {
    const request = route.request();
    if (request.method() !== "POST") return route.fallback();
    const body = new Uint8Array(request.postDataBuffer() ?? []);
    await fetch(request.url(), { method: "POST", headers: await request.allHeaders(), body });
    await route.abort();
  });
  await pressButton(writer, "公開する");
  await expect(page.getByText("入力した内容はこのページに残っています。")).toBeVisible();
  await page.unroute(FORM);
  await richEditor(writer).pressSequentially("足した文。");
  await expect(page.getByText("この投稿は、すでに公開されています。")).toBeVisible();
  const answered = page.waitForResponse(
    (response) => response.request().method() === "POST" && response.url().includes("/my/posts/new.data?"),
  );
  await pressButton(writer, "公開する");
  await answered;
  await expect(page.getByText("この投稿は、すでに公開されています。")).toBeVisible();
  await expect(page.getByText("別の画面")).toHaveCount(0);
  const [post] = await Promise.all([
    page.context().waitForEvent("page"),
    page.getByRole("link", { name: "いまの投稿を新しいタブで編集する" }).click(),
  ]);
  await expect(post.getByLabel("タイトル")).toHaveValue("届かない公開");
});

test("the writer learns of an ended session; after signing in elsewhere the page continues", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "kanade");
  await page.getByLabel("タイトル").fill("夜ふけの原稿");
  await writer.loseSession();
  await richEditor(writer).pressSequentially("眠くなるまで書く。");
  await expect(page.getByText("ログインの有効期限が切れました。")).toBeVisible();

  const [tab] = await Promise.all([
    page.context().waitForEvent("page"),
    page.getByRole("link", { name: "新しいタブでログイン" }).click(),
  ]);
  await tab.getByLabel("メールアドレス").fill("kanade@demo.example");
  await tab.getByLabel("パスワード").fill("demo-ofuse-2026");
  await tab.getByRole("button", { name: "ログイン", exact: true }).click();
  await expect(tab).toHaveURL(/\/my\/posts$/);
  await tab.close();

  // The page saves by itself when the writer returns to it.
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await expect(page.getByText(/下書きを保存しました/)).toBeVisible();
  await pressButton(writer, "公開する");
  await expect(page).toHaveURL(/\/kanade\/events\//);
  await expect(page.getByRole("article")).toContainText("眠くなるまで書く。");
});

test("words are not saved under another account that signed in meanwhile", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "ren");
  await page.getByLabel("タイトル").fill("れんの言葉");
  await writer.loseSession();
  await writer.startSession("yamato");
  await pressButton(writer, "下書き保存");
  await expect(page.getByText("いま別のアカウントでログインしています")).toBeVisible();
  const tab = await page.context().newPage();
  await tab.goto("/my/posts?status=draft");
  await expect(tab.getByText("れんの言葉")).toHaveCount(0);
});

test("two pages of one draft never overwrite each other unseen", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "sumire");
  await page.getByLabel("タイトル").fill("はじめ");
  await pressButton(writer, "下書き保存");
  await expect(page.getByText(/下書きを保存しました/)).toBeVisible();
  await expect(page).toHaveURL(/draft_id=/);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await expect(other.getByRole("toolbar", { name: "書式" })).toBeVisible();
  await other.getByLabel("タイトル").fill("もうひとつの画面");
  await other.getByRole("main").getByRole("button", { name: "下書き保存", exact: true }).click();
  await expect(other.getByText(/下書きを保存しました \d/)).toBeVisible();

  await page.getByLabel("タイトル").fill("こちらの画面");
  await pressButton(writer, "下書き保存");
  await expect(page.getByText("別の画面でも保存されています")).toBeVisible();
  await expect(page.getByLabel("タイトル")).toHaveValue("こちらの画面");
  await other.reload();
  await expect(other.getByLabel("タイトル")).toHaveValue("もうひとつの画面");
  await pressButton(writer, "この画面の内容で保存する");
  await expect(page.getByText(/下書きを保存しました \d/)).toBeVisible();
  await other.reload();
  await expect(other.getByLabel("タイトル")).toHaveValue("こちらの画面");
});

test("the editor writes the same markup as the text area", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "natsume");
  await richEditor(writer).click();
  await pressButton(writer, "見出し");
  await page.keyboard.type("春の海");
  await page.keyboard.press("Enter");
  await page.keyboard.type("漢字《かんじ》と");
  await page.keyboard.press("ControlOrMeta+b");
  await page.keyboard.type("太字");
  await page.keyboard.press("ControlOrMeta+b");
  await page.keyboard.press("Enter");
  await page.keyboard.type("- 鉛筆");
  await page.keyboard.press("Enter");
  await page.keyboard.type("紙");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.keyboard.type("# ではない#見出し ** のまま");
  await switchToText(writer);
  await expect(textField(writer)).toHaveValue(
    "# 春の海\n\n漢字《かんじ》と**太字**\n\n- 鉛筆\n- 紙\n\n# ではない#見出し \\*\\* のまま",
  );
  // Switch back, with the change as text.
  await textField(writer).fill("> 引用\n\n===\n\n｜お好み《ルビ》");
  await pressButton(writer, "見たままで書く");
  await expect(richEditor(writer).locator("blockquote")).toHaveText("引用");
  await expect(richEditor(writer).locator("ruby")).toHaveText("お好みルビ");
  await expect(richEditor(writer)).toContainText("ここから先は限定公開");
});

test("text typed after inserting a line is below it, wherever the caret was", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "natsume");
  await richEditor(writer).click();
  await page.keyboard.type("公開の文。");
  await pressButton(writer, "ここから先を限定公開にする線");
  await page.keyboard.type("秘密の文。");
  await pressButton(writer, "区切り線");
  await page.keyboard.type("- ひとつ");
  await page.keyboard.press("Enter");
  await page.keyboard.type("ふたつ");
  await pressButton(writer, "区切り線");
  await page.keyboard.type("前後");
  await page.keyboard.press("ArrowLeft");
  await pressButton(writer, "区切り線");
  await page.keyboard.type("分かれて");
  const written = "公開の文。\n\n===\n\n秘密の文。\n\n---\n\n- ひとつ\n- ふたつ\n\n---\n\n前\n\n---\n\n分かれて後";
  await switchToText(writer);
  await expect(textField(writer)).toHaveValue(written);
  // In a draft that ends with a paywall line, typing continues below it, and a selected line is not replaced.
  await textField(writer).fill("公開の文。\n\n===");
  await pressButton(writer, "見たままで書く");
  await richEditor(writer).click({ position: { x: 40, y: 300 } });
  await page.keyboard.type("秘密");
  await richEditor(writer).getByText("ここから先は限定公開").click();
  await page.keyboard.type("さらに");
  await switchToText(writer);
  await expect(textField(writer)).toHaveValue("公開の文。\n\n===\n\nさらに\n\n秘密");
});

test("marks and links in the editor work as the help says, typed or pasted", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "natsume");
  await richEditor(writer).click();
  await page.keyboard.type("**太字**と[文字](https://a.example/)と https://b.example/x 。");
  await expect(richEditor(writer).locator("strong")).toHaveText("太字");
  await expect(richEditor(writer).getByRole("link")).toHaveText(["文字", "https://b.example/x"]);
  await page.keyboard.press("Enter");
  await page.keyboard.type("**そのまま**");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Enter");
  await page.keyboard.type("https://youtu.be/dQw4w9WgXcQ");
  await page.keyboard.press("Enter");
  await page.keyboard.type("---下 ");
  await richEditor(writer).evaluate((target) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "https://youtu.be/dQw4w9WgXcQ");
    target.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  await page.keyboard.type(" https://c.example/");
  await switchToText(writer);
  await expect(textField(writer)).toHaveValue(
    "**太字**と[文字](https://a.example/)と https://b.example/x 。\n\n\\*\\*そのまま\\*\\*\n\n" +
      "https://www.youtube.com/watch?v=dQw4w9WgXcQ\n\n---\n\n下 https://youtu.be/dQw4w9WgXcQ https://c.example/",
  );
});

test("a quotation continues with Enter, and ends with an empty line", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "natsume");
  await richEditor(writer).click();
  await page.keyboard.type("> 一行目");
  await page.keyboard.press("Enter");
  await page.keyboard.type("二行目");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.keyboard.type("地の文");
  await switchToText(writer);
  await expect(textField(writer)).toHaveValue("> 一行目\n> 二行目\n\n地の文");
});

test("text pasted from a word processor becomes blocks of the post and nothing else", async ({ someone }) => {
  const writer = await someone();
  await openForm(writer, "natsume");
  await richEditor(writer).click();
  const pasteHtml = (html: string) =>
    richEditor(writer).evaluate((target, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/html", pasted);
      target.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, html);
  await pasteHtml(
    `<html><head><style>p{color:red}</style></head><body><b style="font-weight:normal" id="docs-internal-guid-1">
     <h1 style="color:red">題</h1><p class="MsoNormal"><span style="font-weight:700">強い</span>字<o:p></o:p></p>
     <p class="MsoListParagraphCxSpFirst"><span style="mso-list:Ignore">·</span>ひとつ</p>
     <p class="MsoListParagraphCxSpLast"><span style="mso-list:Ignore">·</span>ふたつ</p>
     <ul><li>外<ul><li>中<div><ul><li>内</li></ul></div></li></ul></li><li>次</li></ul>
     <blockquote><p>一行目</p><p>二行目</p></blockquote>
     <a href="javascript:alert(1)">罠</a><img src="https://evil.example/x.png"><script>alert(1)</script></b></body></html>`,
  );
  await switchToText(writer);
  await expect(textField(writer)).toHaveValue(
    "# 題\n\n**強い**字\n\n- ひとつ\n- ふたつ\n\n- 外\n- 中\n- 内\n- 次\n\n> 一行目\n> 二行目\n\n罠",
  );
});

test("text typed before the page's scripts arrive stays", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "natsume");
  await richEditor(writer).pressSequentially("はじめの言葉。");
  await pressButton(writer, "下書き保存");
  await expect(page.getByText(/下書きを保存しました/)).toBeVisible();
  let go = () => {};
  const arrived = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route("**/assets/*.js", async (route) => {
    await arrived;
    await route.continue();
  });
  await page.reload({ waitUntil: "commit" });
  await textField(writer).fill("書きなおした言葉。");
  go();
  await writer.isAlive();
  await expect(page.getByRole("button", { name: /^(テキストで|見たままで)書く$/ })).toBeVisible();
  await expect(textField(writer)).toHaveValue("書きなおした言葉。");
});

test("a writer who sends an invalid form continues at the error", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "natsume");
  await richEditor(writer).pressSequentially("題はまだない。");
  await pressButton(writer, "公開する");
  await expect(page.getByText("タイトルを入力してください。")).toBeInViewport();
  await expect(page.getByLabel("タイトル")).toBeFocused();
  await page.keyboard.type("題");
  await richEditor(writer).press("Control+a");
  await richEditor(writer).press("Delete");
  await expect(page.locator("textarea[name=body]")).toHaveValue("");
  await pressButton(writer, "公開する");
  await expect(richEditor(writer)).toHaveAccessibleDescription(/本文を入力してください。/);
  await expect(richEditor(writer)).toHaveAttribute("aria-invalid", "true");
  await switchToText(writer);
  await textField(writer).fill("");
  await pressButton(writer, "公開する");
  await expect(page.getByText("本文を入力してください。")).toBeInViewport();
  await expect(textField(writer)).toBeFocused();
});

test("the form does not shift while its editor loads", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await writer.startSession("natsume");
  await page.goto("/my/posts/new?content_type=blog");
  await expect(page.getByRole("toolbar", { name: "書式" })).toBeVisible();
  const moved = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        const add = (entries: PerformanceEntryList) => {
          for (const entry of entries) sum += (entry as unknown as { value: number }).value;
        };
        const observer = new PerformanceObserver((list) => add(list.getEntries()));
        observer.observe({ type: "layout-shift", buffered: true });
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            add(observer.takeRecords());
            resolve(sum);
          }),
        );
      }),
  );
  expect(moved).toBeLessThanOrEqual(0.01);
});
