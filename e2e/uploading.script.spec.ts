import { pngOf, quarters } from "../tests/support/pictures.ts";
import { expect, type Person, test } from "./support/test.ts";

/** Uploads while a post is being written: successes, failures, and that neither loses a word. */

const UPLOAD = "**/my/uploads/file";

async function openForm(writer: Person, kind: "blog" | "image" | "video", link_id: string): Promise<void> {
  await writer.openAs(link_id, `/my/posts/new?content_type=${kind}`);
  await expect(writer.page.getByLabel("タイトル")).toBeVisible();
  await writer.isAlive();
}

const pictureFile = (name: string) => ({ name, mimeType: "image/png", buffer: pngOf(quarters(80, 60)) });
const fileField = ({ page }: Person) => page.getByLabel("ファイルを選ぶ");
const progressOf = ({ page }: Person, name: string) => page.getByRole("progressbar", { name: `${name}の送信` });
const buttonOf = ({ page }: Person, name: string) => page.getByRole("main").getByRole("button", { name, exact: true });
const sentField = ({ page }: Person) => page.locator("input[name=images]");

/** Returns a film of two boxes and a few bytes: the server checks only the first bytes. */
function filmOf(bytes: number): Buffer {
  const file = Buffer.alloc(bytes, 7);
  Buffer.from("\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41", "latin1").copy(file);
  return file;
}

test("two pictures are uploaded with a progress bar each, described, ordered and published", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "image", "natsume");
  await page.getByLabel("タイトル").fill("届いた二枚");
  const held: (() => void)[] = [];
  await page.route(UPLOAD, async (route) => {
    await new Promise<void>((go) => held.push(go));
    await route.continue();
  });
  await fileField(writer).setInputFiles([pictureFile("a.png"), pictureFile("b.png")]);
  await expect(progressOf(writer, "a.png")).toBeVisible();
  await expect(progressOf(writer, "b.png")).toBeVisible();
  const said = page.locator(".post-files").getByRole("status");
  await expect(said).toHaveText("a.pngを送信しています");
  // Publishing now asks first, because the post would be without the uploads.
  const asked = page.waitForEvent("dialog").then(async (dialog) => {
    await dialog.dismiss();
    return dialog.message();
  });
  await buttonOf(writer, "公開する").click();
  expect(await asked).toContain("送信中のファイル");
  for (const [index, label] of ["画像1の説明", "画像2の説明"].entries()) {
    await expect.poll(() => held.length).toBe(index + 1);
    held[index]?.();
    await expect(page.getByLabel(label)).toBeVisible();
    await expect(said).toHaveText(index === 0 ? "b.pngを送信しています" : "b.pngを加えました");
  }
  await expect(page.getByRole("progressbar")).toHaveCount(0);

  await page.getByLabel("画像1の説明").fill("ひとつめ");
  await page.getByLabel("画像2の説明").fill("ふたつめ");
  const [first, second] = (await sentField(writer).inputValue()).split(" ");
  await buttonOf(writer, "画像2を前へ移す").click();
  await expect(sentField(writer)).toHaveValue(`${second} ${first}`);
  await expect(buttonOf(writer, "画像1を後ろへ移す"), "the focus stays with what was moved").toBeFocused();
  // The draft has them already.
  const elsewhere = await page.context().newPage();
  const readDraft = async () => {
    await elsewhere.goto(page.url());
    return elsewhere.locator("input[name=images]").inputValue();
  };
  await expect.poll(readDraft).toBe(`${second} ${first}`);
  await elsewhere.close();
  await buttonOf(writer, "公開する").click();
  await expect(page).toHaveURL(/\/natsume\/events\//);

  const visitor = await someone();
  await visitor.page.goto(page.url());
  const shown = visitor.page.getByRole("article").getByRole("img");
  await expect(shown).toHaveCount(2);
  await expect(shown.nth(0)).toHaveAttribute("alt", "ふたつめ");
  await expect(shown.nth(1)).toHaveAttribute("alt", "ひとつめ");
});

test("files can be dropped; the twenty-first picture gets a message and is not sent", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "image", "mio");
  let requests = 0;
  await page.route(UPLOAD, (route) => {
    requests++;
    const image_id = `01m7sy72xp7d49g121yegtt2${String(requests).padStart(2, "0")}`;
    const image = { image_id, alt: "", width: 1, height: 1, medium_url: "data:,", srcset: null, placeholder: null };
    return route.fulfill({ status: 201, json: { image } });
  });
  await page.locator(".upload-drop").evaluate((target) => {
    const dataTransfer = new DataTransfer();
    for (let n = 1; n <= 21; n++) dataTransfer.items.add(new File(["x"], `${n}.png`, { type: "image/png" }));
    target.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  });
  await expect(page.getByLabel("画像20の説明")).toBeVisible();
  const over = page.getByRole("main").getByRole("listitem").filter({ hasText: "21.png" });
  await expect(over).toContainText("画像は20枚までです。");
  expect(requests).toBe(20);
  await buttonOf(writer, "21.pngの表示を消す").click();
  await expect(over).toHaveCount(0);
});

test("a file that is no picture is refused beside its name, and nothing else is lost", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "image", "natsume");
  await page.getByLabel("タイトル").fill("混ざったファイル");
  const text = { name: "memo.png", mimeType: "image/png", buffer: Buffer.from("ただの文章です") };
  await fileField(writer).setInputFiles([pictureFile("a.png"), text, pictureFile("b.png")]);
  const refused = page.getByRole("main").getByRole("listitem").filter({ hasText: "memo.png" });
  await expect(refused.getByRole("alert")).toHaveText("この形式のファイルはアップロードできません。");
  // An upload that cannot succeed offers no retry.
  await expect(buttonOf(writer, "memo.pngをもう一度送る")).toHaveCount(0);
  await expect(page.getByLabel("画像2の説明")).toBeVisible();
  await expect(page.getByLabel("タイトル")).toHaveValue("混ざったファイル");
});

test("an upload that a lost connection interrupted can be retried or removed", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "image", "natsume");
  await page.clock.install();
  await page.route(UPLOAD, (route) => route.abort("connectionreset"));
  await fileField(writer).setInputFiles([pictureFile("a.png")]);
  const retry = buttonOf(writer, "a.pngをもう一度送る");
  // It retries a few times by itself first.
  await expect(async () => {
    await page.clock.fastForward(5000);
    await expect(retry).toBeVisible({ timeout: 200 });
  }).toPass();
  await expect(page.getByRole("alert").filter({ hasText: "通信が途切れました" })).toBeVisible();
  await page.unroute(UPLOAD);
  await retry.click();
  await expect(page.getByLabel("画像1の説明")).toBeVisible();
  await expect(retry).toHaveCount(0);

  await page.route(UPLOAD, () => {});
  await fileField(writer).setInputFiles([pictureFile("b.png")]);
  await buttonOf(writer, "b.pngの送信をやめる").click();
  await expect(progressOf(writer, "b.png")).toHaveCount(0);
  await expect(sentField(writer)).toHaveValue(/^\w{26}$/);
});

test("pictures are inserted where they were chosen, pasted or dropped; publishing asks about unplaced ones", async ({
  someone,
}) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "blog", "natsume");
  await page.getByLabel("タイトル").fill("文中の絵");
  const rich = page.getByRole("textbox", { name: "本文" }).and(page.locator("[contenteditable]"));
  const area = page.locator("textarea[name=body]");
  const marks = page.locator("#pictures code");
  await expect(page.getByRole("toolbar", { name: "書式" })).toBeVisible();
  // Do not wait after the click: Playwright would wait for a navigation that never begins.
  await rich.click();
  await page.keyboard.type("はじめ。");
  const held: (() => void)[] = [];
  await page.route(UPLOAD, async (route) => {
    await new Promise<void>((go) => held.push(go));
    await route.continue();
  });
  await fileField(writer).setInputFiles([pictureFile("a.png"), pictureFile("b.png")]);
  await rich.focus();
  await page.keyboard.type("つづき。");
  for (const number of [1, 2]) {
    await expect.poll(() => held.length).toBe(number);
    held[number - 1]?.();
    await expect(page.getByLabel(`画像${number}の説明`)).toBeVisible();
  }
  await page.unroute(UPLOAD);
  const givePicture = async (kind: "paste" | "drop") => {
    const bytes = [...pngOf(quarters(80, 60))];
    await rich.evaluate(
      (target, [how, content]) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(content)], "c.png", { type: "image/png" }));
        const { left, top } = target.getBoundingClientRect();
        const options = { bubbles: true, cancelable: true };
        target.dispatchEvent(
          how === "paste"
            ? new ClipboardEvent("paste", { ...options, clipboardData: data })
            : new DragEvent("drop", { ...options, dataTransfer: data, clientX: left + 20, clientY: top + 12 }),
        );
      },
      [kind, bytes] as const,
    );
  };
  await page.keyboard.press("ControlOrMeta+End");
  await givePicture("paste");
  await expect(page.getByLabel("画像3の説明")).toBeVisible();
  await givePicture("drop");
  await expect(page.getByLabel("画像4の説明")).toBeVisible();
  await expect(rich.locator("figure")).toHaveCount(4);
  await buttonOf(writer, "テキストで書く").click();
  await expect(marks).toHaveCount(4);
  const [first, second, third, fourth] = await marks.allTextContents();
  await expect(area).toHaveValue(`はじめ。\n\n${fourth}\n\n\n${first}\n\n${second}\n\nつづき。\n\n${third}`);
  await area.fill(`はじめ。\n\n${first}`);
  await buttonOf(writer, "公開する").click();
  await expect(page.getByText("アップロードした画像3枚が、まだ本文に入っていません。")).toBeInViewport();
  const choice = buttonOf(writer, "末尾に入れて公開する");
  await expect(choice).toBeFocused();
  await choice.click();
  await expect(page).toHaveURL(/\/natsume\/events\//);
  await expect(page.getByRole("article").locator("figure img:not(.blur)")).toHaveCount(4);
});

test("an uploaded film plays in the page, from any position", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  await openForm(writer, "video", "natsume");
  await page.getByLabel("タイトル").fill("短い動画");
  await fileField(writer).setInputFiles({ name: "a.mp4", mimeType: "video/mp4", buffer: filmOf(5000) });
  await expect(page.getByLabel("アップロードした動画を使う")).toBeChecked();
  await buttonOf(writer, "公開する").click();
  await expect(page).toHaveURL(/\/natsume\/events\//);

  const visitor = await someone();
  await visitor.page.goto(page.url());
  const video = visitor.page.getByRole("article").locator("video[controls]");
  const src = await video.getAttribute("src");
  const answer = await visitor.page.request.get(src ?? "", { headers: { range: "bytes=4-11" } });
  expect(answer.status()).toBe(206);
  expect(answer.headers()).toMatchObject({ "content-range": "bytes 4-11/5000", "content-type": "video/mp4" });
  expect(await answer.text()).toBe("ftypisom");
});
