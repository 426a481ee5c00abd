import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectPlain, PlainPage } from "../../e2e/support/plain-page.ts";

/** Tests the HTTP page of the journeys (e2e/support/plain-page.ts): it must not see or send more than a browser. */

const PAGE = `<!doctype html><html lang="ja"><head><title>見出し</title></head><body>
  <main>
    <h1>残り <!-- -->10<!-- --> 個</h1>
    <section aria-label="投稿"><ul><li>ひとつ</li><li>ふたつ <a href="/two?x=1#end">続き</a></li></ul></section>
    <section><p hidden>隠した言葉</p><details><summary>開く</summary><p>たたんだ言葉</p></details></section>
    <button type="button" commandfor="sure" command="show-modal">削除</button>
    <dialog id="sure" aria-label="確認"><form method="post" action="/deleted"><button name="do" value="delete">削除する</button></form></dialog>
    <form method="post" action="/sent?from=form" id="f">
      <label>名前 <input name="name" value="はな"></label>
      <label for="m">本文</label><textarea id="m" name="message">
一行目</textarea>
      <label>選択 <select name="kind"><option value="a">あ</option><option value="b" selected>い</option></select></label>
      <label><input type="checkbox" name="on" value="yes"> 公開する</label>
      <label><input type="checkbox" name="off" checked> 既定</label>
      <input type="hidden" name="key" value="k&amp;1">
      <input name="gone" value="x" disabled>
      <button name="do" value="draft">下書き</button><button name="do" value="send">送る</button>
    </form>
    <input name="outside" value="o" form="f">
    <form action="/found"><input aria-label="検索" type="search" name="q"><button>探す</button></form>
    <form method="post" action="/needed"><label>必須 <input name="r" required></label><button>必ず送る</button></form>
    <form method="post" action="/files" enctype="multipart/form-data"><input type="file" name="f" aria-label="ファイル"><button>上げる</button></form>
  </main></body></html>`;

let server: Server;
let page: PlainPage;
const asked: { method: string; url: string; body: string; type: string; site: string }[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url = "", headers } = request;
    asked.push({ method, url, body, type: headers["content-type"] ?? "", site: String(headers["sec-fetch-site"]) });
    if (method === "POST")
      return void response.writeHead(303, { location: "/after", "set-cookie": "a=b; Path=/" }).end();
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(PAGE);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterAll(() => server.close());

async function open(): Promise<PlainPage> {
  page = new PlainPage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await page.goto("/");
  asked.length = 0;
  return page;
}

describe("a form", () => {
  test("sends what a browser would, with the pressed button, and follows the answer", async () => {
    await open();
    await page.getByLabel("本文").fill("一行目\n二行目");
    await page.getByLabel("公開する").check();
    await page.getByRole("button", { name: "送る", exact: true }).click();
    expect(asked.map(({ method, url, site }) => [method, url, site])).toEqual([
      ["POST", "/sent?from=form", "same-origin"],
      ["GET", "/after", "same-origin"],
    ]);
    expect([...new URLSearchParams(asked[0]?.body)]).toEqual([
      ["name", "はな"],
      ["message", "一行目\r\n二行目"],
      ["kind", "b"],
      ["on", "yes"],
      ["off", "on"],
      ["key", "k&1"],
      ["do", "send"],
      ["outside", "o"],
    ]);
    expect(new URL(page.url()).pathname).toBe("/after");
    expect(await page.context().cookies()).toEqual([{ name: "a", value: "b" }]);
  });

  test("with GET puts its fields into the URL, by Enter too", async () => {
    await open();
    await page.getByRole("searchbox", { name: "検索" }).fill("水彩");
    await page.keyboard.press("Enter");
    expect(asked[0]?.url).toBe("/found?q=%E6%B0%B4%E5%BD%A9");
  });

  test("with files is multipart, and has an empty one where none was chosen", async () => {
    await open();
    await page.getByRole("button", { name: "上げる" }).click();
    expect(asked[0]?.type).toContain("multipart/form-data");
    expect(asked[0]?.body).toContain('filename=""');
    const file = { name: "a.png", mimeType: "image/png", buffer: Buffer.from("pixels") };
    await page.getByLabel("ファイル").setInputFiles(file);
    await page.getByRole("button", { name: "上げる" }).click();
    expect(asked.at(-2)?.body).toMatch(/filename="a\.png"[\s\S]*image\/png[\s\S]*pixels/);
  });

  test("is not sent if a browser would block it", async () => {
    await open();
    await expect(page.getByRole("button", { name: "必ず送る" }).click()).rejects.toThrow("field r is empty");
    expect(asked).toEqual([]);
  });
});

describe("a page", () => {
  test("finds elements by role, name, label and text, across React's comments", async () => {
    await open();
    await expectPlain(page.getByRole("heading", { name: "残り 10 個", level: 1 })).toBeVisible();
    await expectPlain(page.getByText("残り 10 個", { exact: true })).toHaveCount(1);
    await expectPlain(page.getByRole("region", { name: "投稿" }).getByRole("listitem")).toHaveText([
      "ひとつ",
      "ふたつ 続き",
    ]);
    await expectPlain(page.getByRole("listitem").filter({ hasText: "ふたつ" })).toHaveCount(1);
    await expectPlain(page.getByRole("heading", { level: 2 })).toHaveCount(0);
    await expectPlain(page.getByText("見出し")).toHaveCount(0);
  });

  test("hides what is hidden, folded or in a closed dialog until it is opened", async () => {
    await open();
    await expectPlain(page.getByText("隠した言葉")).toBeHidden();
    const folded = page.getByText("たたんだ言葉");
    await expectPlain(folded).toBeHidden();
    await page.getByText("開く").click();
    await expectPlain(folded).toBeVisible();
    await expectPlain(page.getByRole("dialog")).toHaveCount(0);
    await expectPlain(page.getByRole("button", { name: "削除する" })).toHaveCount(0);
    await page.getByRole("button", { name: "削除", exact: true }).click();
    await page.getByRole("dialog", { name: "確認" }).getByRole("button", { name: "削除する" }).click();
    expect([asked[0]?.url, asked[0]?.body]).toEqual(["/deleted", "do=delete"]);
  });

  test("follows its links, and goes back", async () => {
    await open();
    await page.getByRole("link", { name: "続き" }).click();
    await expectPlain(page).toHaveURL(/\/two\?x=1#end$/);
    await page.goBack();
    await expectPlain(page).toHaveURL("/");
  });

  test("fails every expectation that does not hold, and every act without an effect", async () => {
    await open();
    for (const wrong of [
      expectPlain(page.getByText("隠した言葉")).toBeVisible(),
      expectPlain(page.getByText("どこにもない")).toBeVisible(),
      expectPlain(page.getByRole("listitem")).toBeVisible(),
      expectPlain(page.getByLabel("名前")).toHaveValue("たろう"),
      expectPlain(page.getByLabel("名前")).not.toHaveValue("はな"),
      expectPlain(page.getByLabel("公開する")).toBeChecked(),
      expectPlain(page.getByLabel("名前")).toBeFocused(),
      expectPlain(page.getByRole("listitem")).toHaveText(["ひとつ"]),
      expectPlain(page.getByRole("heading")).toContainText("11"),
      expectPlain(page.getByRole("link")).toHaveAttribute("href", "/one"),
      expectPlain(page).toHaveURL("/elsewhere"),
      page.getByText("ひとつ").click(),
      page.getByRole("listitem").click(),
      page.keyboard.press("Escape"),
    ]) {
      await expect(wrong).rejects.toThrow();
    }
  });
});
