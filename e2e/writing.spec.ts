import { pngOf, quarters } from "../tests/support/pictures.ts";
import { IN_CHROMIUM } from "./support/plain-page.ts";
import { expect, type Person, test } from "./support/test.ts";

/** The main tool of creators: it never loses typed text, with or without JavaScript. */

/** Simulates an expired session: the cookies are gone, while the page with its typed words is still open. */

async function openForm(writer: Person, kind: "blog" | "image" | "video", link_id = "natsume"): Promise<void> {
  await writer.openAs(link_id, "/my/posts/new");
  const name = { blog: "ブログ・文章", image: "画像", video: "動画" }[kind];
  await writer.page.getByRole("main").getByRole("link", { name }).click();
  await isReady(writer);
}

/** Waits for the editor. It replaces the text area, and both send the same. */
async function isReady(writer: Person): Promise<void> {
  await expect(writer.page.getByLabel("タイトル")).toBeVisible();
  await writer.isAlive();
  if (writer.has_script) await writer.page.getByRole("button", { name: "テキストで書く" }).click();
}

const bodyField = (writer: Person) => writer.page.locator("textarea[name=body]");
const buttonOf = (writer: Person, name: string) =>
  writer.page.getByRole("main").getByRole("button", { name, exact: true });
const listRows = (writer: Person) => writer.page.getByRole("main").getByRole("listitem");

test("a post is drafted, previewed, published and read", async ({ someone }) => {
  const writer = await someone();
  await openForm(writer, "blog");
  await writer.page.getByLabel("タイトル").fill("凪の朝に");
  await bodyField(writer).fill("# 夜明け前\n\n漢字《かんじ》と**太字**を。\n\n- 鉛筆\n- 紙\n\n<b>そのまま</b>");
  await buttonOf(writer, "下書き保存").click();
  await expect(writer.page.getByText("下書きを保存しました")).toBeVisible();

  await buttonOf(writer, "プレビュー").click();
  const article = writer.page.getByRole("article");
  await expect(article.getByRole("heading", { name: "凪の朝に" })).toBeVisible();
  await expect(article.getByRole("heading", { name: "夜明け前" })).toBeVisible();
  await expect(article.locator("ruby")).toHaveText(/漢字.*かんじ/);
  await expect(article.locator("strong")).toHaveText("太字");
  await expect(article).toContainText("<b>そのまま</b>");
  await writer.page.getByRole("link", { name: "編集に戻る" }).first().click();

  await isReady(writer);
  await expect(writer.page.getByLabel("タイトル")).toHaveValue("凪の朝に");
  await expect(bodyField(writer)).toHaveValue(/# 夜明け前/);
  const form_url = writer.page.url();
  await buttonOf(writer, "公開する").click();
  await expect(writer.page).toHaveURL(/\/natsume\/events\/\w{26}$/);
  await expect(writer.page.getByText("公開しました")).toBeVisible();

  const visitor = await someone();
  await visitor.page.goto(writer.page.url());
  await expect(visitor.page.getByRole("article").getByRole("listitem").first()).toHaveText("鉛筆");
  if (writer.has_script) {
    // Its form is not in the history any more: no post can be made of the draft again.
    await writer.page.goBack();
    await expect(writer.page).not.toHaveURL(form_url);
  }
  await writer.page.goto(form_url);
  await expect(writer.page.getByText("この下書きは、もうありません")).toBeVisible();
  await writer.page.getByRole("link", { name: "新しく作る" }).click();
  await expect(writer.page.getByLabel("タイトル")).toHaveValue("");
  // The draft has become the post.
  await writer.page.goto("/my/posts?status=draft");
  await expect(writer.page.getByText("凪の朝に")).toHaveCount(0);
});

test("an error is beside its field, and every word stays", async ({ someone }) => {
  const writer = await someone();
  await openForm(writer, "blog");
  await bodyField(writer).fill("本文だけ書きました。\n[画像:zzzzz]");
  await writer.page.getByLabel("日時を決めて公開する").check();
  await writer.page.getByLabel("公開する日時").fill("2020-01-01T09:00");
  await writer.page.getByLabel("フォロワー限定").check();
  await buttonOf(writer, "予約する").click();
  await expect(writer.page.getByText("タイトルを入力してください。")).toBeVisible();
  await expect(writer.page.getByText("本文の「[画像:zzzzz]」にあたるファイルが、この投稿にありません。")).toBeVisible();
  await expect(bodyField(writer)).toHaveValue("本文だけ書きました。\n[画像:zzzzz]");
  await expect(writer.page.getByLabel("フォロワー限定")).toBeChecked();

  await writer.isAlive();
  if (writer.has_script) {
    // The editor has loaded.
    await expect(writer.page.getByRole("button", { name: /^(テキストで|見たままで)書く$/ })).toBeVisible();
    if (await bodyField(writer).isHidden()) await buttonOf(writer, "テキストで書く").click();
  }
  await bodyField(writer).fill("本文だけ書きました。");
  await writer.page.getByLabel("タイトル").fill("予約の投稿");
  await buttonOf(writer, "予約する").click();
  await expect(writer.page.getByText("公開の予定には、これからの日時を指定してください。")).toBeVisible();
  await expect(writer.page.getByLabel("公開する日時")).toHaveValue("2020-01-01T09:00");

  await writer.isAlive();
  await writer.page.getByLabel("公開する日時").fill("2040-01-01T09:00");
  await buttonOf(writer, "予約する").click();
  await expect(writer.page).toHaveURL(/status=is_publish_pending/);
  const row = listRows(writer).filter({ hasText: "予約の投稿" });
  await expect(row).toContainText("2040/01/01 09:00");
  await expect(row).toContainText("フォロワー限定");
});

test("a post is withdrawn and published again from the list", async ({ someone }) => {
  const writer = await someone();
  await writer.openAs("kanade", "/my/posts?status=is_published");
  const row = listRows(writer).filter({ hasText: "全員に公開" }).first();
  const title = (await row.getByRole("link").first().textContent()) ?? "";
  const path = (await row.getByRole("link").first().getAttribute("href")) ?? "";
  await writer.isAlive();
  await writer.page.getByRole("button", { name: `「${title}」を非公開にする` }).click();
  await expect(writer.page.getByText("非公開にしました")).toBeVisible();
  const visitor = await someone();
  await expect.poll(async () => (await visitor.page.goto(path))?.status()).toBe(404);

  await writer.page.goto("/my/posts?status=is_private");
  await writer.isAlive();
  await writer.page.getByRole("button", { name: `「${title}」を公開する` }).click();
  await expect(writer.page.getByText("公開しました")).toBeVisible();
  await expect.poll(async () => (await visitor.page.goto(path))?.status()).toBe(200);
});

test("many posts are changed at once, and deleted after a confirmation", { tag: IN_CHROMIUM }, async ({ someone }) => {
  const writer = await someone();
  await writer.openAs("sumire", "/my/posts?status=is_published");
  await writer.isAlive();
  const rows = listRows(writer).filter({ has: writer.page.getByRole("checkbox") });
  await expect(rows.nth(1)).toBeVisible();
  const titles = await rows.locator(".post-row-title").allTextContents();
  for (const row of [rows.nth(0), rows.nth(1)]) await row.getByRole("checkbox").check();
  await writer.page.getByLabel("変更の内容").selectOption({ label: "フォロワー限定" });
  await buttonOf(writer, "変更する").click();
  await expect(writer.page.getByText("選んだ投稿を変更しました")).toBeVisible();
  await writer.page.goto("/my/posts?status=is_published&target=fans");
  for (const title of titles.slice(0, 2)) await expect(listRows(writer).filter({ hasText: title })).toBeVisible();

  await writer.isAlive();
  const first = listRows(writer).filter({ hasText: titles[0] });
  await first.getByRole("checkbox").check();
  // The actions for the selected posts stay in view, however long the list is. They do not in a window lower than 480 px.
  await writer.page.setViewportSize({ width: 375, height: 500 });
  await first.getByRole("checkbox").scrollIntoViewIfNeeded();
  await expect(buttonOf(writer, "まとめて削除…")).toBeInViewport({ ratio: 1 });
  await buttonOf(writer, "まとめて削除…").click();
  await writer.page.getByRole("button", { name: "選んだ投稿を削除する" }).click();
  await expect(writer.page.getByText("削除しました")).toBeVisible();
  await expect(listRows(writer).filter({ hasText: titles[0] })).toHaveCount(0);

  // A submit without a selection changes nothing, and the page says so.
  await writer.isAlive();
  await writer.page.getByLabel("変更の内容").selectOption({ label: "非公開にする" });
  await buttonOf(writer, "変更する").click();
  await expect(writer.page.getByText("投稿を選んでください。")).toBeVisible();
});

test("a post whose session ended while it was written is complete after signing in again, and is published", async ({
  someone,
}) => {
  const writer = await someone();
  await openForm(writer, "blog", "yamato");
  // Few paragraphs: Chromium takes 15 s to fill a text area with 1,200 of them.
  const steps = Array.from({ length: 1200 }, (_, step) => `${step + 1}歩目。尾根の風が**強い**。`);
  const long = Array.from({ length: 40 }, (_, part) => steps.slice(part * 30, part * 30 + 30).join("")).join("\n\n");
  await writer.page.getByLabel("タイトル").fill("縦走の記録");
  await writer.page.getByLabel("フォロワー限定").check();
  await writer.page.getByLabel("コメント", { exact: true }).selectOption("none");
  await writer.loseSession();
  await bodyField(writer).fill(long);
  await buttonOf(writer, "公開する").click();
  await expect(writer.page).toHaveURL(/\/login\?to=/);
  await writer.signIn("yamato");

  await isReady(writer);
  await expect(bodyField(writer)).toHaveValue(long);
  await expect(writer.page.getByLabel("タイトル")).toHaveValue("縦走の記録");
  await expect(writer.page.getByLabel("フォロワー限定")).toBeChecked();
  await expect(writer.page.getByLabel("コメント", { exact: true })).toHaveValue("none");
  await buttonOf(writer, "公開する").click();
  await expect(writer.page).toHaveURL(/\/yamato\/events\/\w{26}$/);
  await expect(writer.page.getByRole("article")).toContainText("1200歩目。尾根の風が強い。");
});

test("a published post is edited as a draft that nobody sees, until it is updated", async ({ someone }) => {
  const writer = await someone();
  await openForm(writer, "blog", "ren");
  await writer.page.getByLabel("タイトル").fill("はじめの形");
  await bodyField(writer).fill("はじめの本文。");
  await buttonOf(writer, "公開する").click();
  await expect(writer.page).toHaveURL(/\/ren\/events\//);
  const path = new URL(writer.page.url()).pathname;

  await writer.page.getByRole("main").getByRole("link", { name: "編集" }).click();
  await isReady(writer);
  await expect(bodyField(writer)).toHaveValue("はじめの本文。");
  await bodyField(writer).fill("書きなおした本文。");
  await buttonOf(writer, "下書き保存").click();
  await expect(writer.page.getByText("下書きを保存しました")).toBeVisible();
  const visitor = await someone();
  await visitor.page.goto(path);
  await expect(visitor.page.getByRole("article")).toContainText("はじめの本文。");

  await writer.page.goto("/my/posts?status=draft");
  await writer.page.getByRole("link", { name: "「はじめの形」の続きを書く" }).click();
  await isReady(writer);
  await expect(bodyField(writer)).toHaveValue("書きなおした本文。");
  await buttonOf(writer, "更新する").click();
  await expect(writer.page.getByText("変更を保存しました")).toBeVisible();
  await expect(async () => {
    await visitor.page.goto(path);
    await expect(visitor.page.getByRole("article")).toContainText("書きなおした本文。", { timeout: 500 });
  }).toPass();
});

test("a film of a listed provider is shown; any other address is refused beside its field", async ({ someone }) => {
  const writer = await someone();
  await openForm(writer, "video");
  await writer.page.getByLabel("タイトル").fill("制作の早回し");
  await writer.page.getByLabel("動画のURL").fill("https://evil.example/film");
  await buttonOf(writer, "公開する").click();
  await expect(writer.page.getByText("この動画のURLは使えません。")).toBeVisible();
  await expect(writer.page.getByLabel("動画のURL")).toHaveValue("https://evil.example/film");
  await writer.isAlive();
  await writer.page.getByLabel("動画のURL").fill("https://youtu.be/dQw4w9WgXcQ");
  await buttonOf(writer, "公開する").click();
  await expect(writer.page).toHaveURL(/\/natsume\/events\//);
  await expect(writer.page.getByRole("article")).toContainText("YouTube");
});

test("categories are created, named, ordered and deleted", { tag: IN_CHROMIUM }, async ({ someone }) => {
  const writer = await someone();
  await writer.openAs("natsume", "/my/posts/categories");
  const { page } = writer;
  await writer.isAlive();
  await page.getByLabel("新しいカテゴリー").fill("色の話");
  await buttonOf(writer, "追加する").click();
  await expect(page.getByText("カテゴリーを保存しました")).toBeVisible();
  const categoryField = (title: string) => page.getByRole("main").locator(`input[name=title][value="${title}"]`);
  await expect(categoryField("色の話")).toBeVisible();

  await writer.isAlive();
  await page.getByLabel("新しいカテゴリー").fill("色の話");
  await buttonOf(writer, "追加する").click();
  await expect(page.getByText("同じ名前のカテゴリーがすでにあります。")).toBeVisible();
  await expect(page.getByLabel("新しいカテゴリー")).toHaveValue("色の話");

  await writer.isAlive();
  const titles = () =>
    page
      .getByRole("main")
      .locator("li input[name=title]")
      .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
  // The last row is there, so the list is whole.
  await expect(buttonOf(writer, "「色の話」を上へ")).toBeVisible();
  const { length } = await titles();
  await buttonOf(writer, "「色の話」を上へ").click();
  await expect.poll(async () => (await titles()).indexOf("色の話")).toBe(length - 2);

  await writer.isAlive();
  await buttonOf(writer, "「色の話」を削除").click();
  await buttonOf(writer, "削除する").click();
  await expect(page.getByText("カテゴリーを削除しました")).toBeVisible();
  await expect(categoryField("色の話")).toHaveCount(0);
});

test("a member who edits another member's post gets a 404", async ({ someone }) => {
  const fan = await someone();
  await fan.openAs("fan_hana", "/natsume");
  const path = await fan.page.locator(".event-card a[href*='/events/']").first().getAttribute("href");
  const event_id = path?.split("/").at(-1);
  const response = await fan.page.goto(`/my/posts/${event_id}/edit`);
  expect(response?.status()).toBe(404);
  await expect(fan.page.locator("textarea[name=body]")).toHaveCount(0);
});

const pictureFile = (name: string, height = 60) => ({
  name,
  mimeType: "image/png",
  buffer: pngOf(quarters(80, height)),
});

test("pictures are uploaded, ordered, described and shown in that order", { tag: IN_CHROMIUM }, async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "image");
  await page.getByLabel("タイトル").fill("二枚の絵");
  await page.getByLabel("フォロワー限定").check();
  for (const name of ["a.png", "b.png"]) {
    await page.getByLabel("ファイルを選ぶ").setInputFiles(pictureFile(name, name === "a.png" ? 240 : 60));
    if (!writer.has_script) await buttonOf(writer, "アップロード").click();
    await expect(page.getByLabel(name === "a.png" ? "画像1の説明" : "画像2の説明")).toBeVisible();
  }
  // The words typed before the uploads are still there.
  await expect(page.getByLabel("タイトル")).toHaveValue("二枚の絵");
  await expect(page.getByLabel("フォロワー限定")).toBeChecked();
  await page.getByLabel("画像1の説明").fill("ひとつめ");
  await page.getByLabel("画像2の説明").fill("ふたつめ");
  await buttonOf(writer, "画像2を前へ移す").click();
  await expect(page.getByLabel("画像1の説明")).toHaveValue("ふたつめ");
  await expect(page.getByLabel("画像2の説明")).toHaveValue("ひとつめ");
  await writer.isAlive();
  await page.getByLabel("全員に公開").check();
  await buttonOf(writer, "公開する").click();
  await expect(page).toHaveURL(/\/natsume\/events\//);

  const visitor = await someone();
  await visitor.page.goto(page.url());
  const shown = visitor.page.getByRole("article").getByRole("img");
  await expect(shown).toHaveCount(2);
  await expect(shown.nth(0)).toHaveAttribute("alt", "ふたつめ");
  await expect(shown.nth(1)).toHaveAttribute("alt", "ひとつめ");
  await expect.poll(() => shown.nth(0).evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
  // The page shows a tall page of a manga whole, as high as the window.
  await expect(shown.nth(1)).toHaveCSS("object-fit", "contain");
  await expect.poll(async () => (await shown.nth(1).boundingBox())?.height).toBeGreaterThan(0.9 * 812);
});

test("a picture is inserted into the text of a post, and removed with its mark", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "blog");
  await page.getByLabel("タイトル").fill("挿絵のある日記");
  await bodyField(writer).fill("はじめ。\n\nおわり。");
  await page.getByLabel("ファイルを選ぶ").setInputFiles(pictureFile("a.png"));
  if (!writer.has_script) await buttonOf(writer, "アップロード").click();
  await expect(page.getByLabel("画像1の説明")).toBeVisible();
  await page.getByLabel("画像1の説明").fill("窓");
  const mark = await page.getByRole("main").locator("#pictures code").first().textContent();
  expect(mark).toMatch(/^\[画像:\w{5}\]$/);
  await bodyField(writer).fill(`はじめ。\n\n${mark}\n\nおわり。`);
  await buttonOf(writer, "プレビュー").click();
  await expect(page.getByRole("article").getByRole("img", { name: "窓" })).toBeVisible();
  await page.getByRole("link", { name: "編集に戻る" }).first().click();
  await isReady(writer);
  await buttonOf(writer, "画像1を外す").click();
  await expect(page.getByLabel("画像1の説明")).toHaveCount(0);
  await expect(bodyField(writer)).toHaveValue(/^はじめ。\s+おわり。$/);
  await buttonOf(writer, "公開する").click();
  await expect(page).toHaveURL(/\/natsume\/events\//);
  await expect(page.getByRole("article")).toContainText("おわり。");
  await expect(page.getByRole("article").getByRole("img")).toHaveCount(0);
});
